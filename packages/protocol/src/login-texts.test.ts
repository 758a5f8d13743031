import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  brokenLoginTexts,
  LOGIN_TEXT_SCREENS,
  loginTextLimit,
  obeyedLoginTexts,
  PAGE_TEXTS,
  shownLoginTexts,
  whyLoginTextDoesNotAct,
} from './login-texts.ts'

const TEXTS = Object.entries(LOGIN_TEXT_SCREENS).flatMap(([screen, names]) =>
  names.map((name) => [screen, name] as const),
)
const rulesOf = (texts: Readonly<Record<string, unknown>>) =>
  brokenLoginTexts(texts).map(({ text, rule }) => `${text}: ${rule}`)

it('has every text of the format once, and each that acts is one of them', () => {
  const all = TEXTS.map((parts) => parts.join('.'))
  expect(new Set(all).size).toBe(all.length)
  expect(all).toEqual(expect.arrayContaining(Object.keys(PAGE_TEXTS)))
  expect(new Set(Object.values(PAGE_TEXTS)).size).toBe(Object.keys(PAGE_TEXTS).length)
})

it.each(TEXTS)('either acts or is refused with a reason: %s.%s', (screen, name) => {
  const reason = whyLoginTextDoesNotAct(screen, name)
  expect(reason === undefined).toBe(`${screen}.${name}` in PAGE_TEXTS)
  expect(rulesOf({ [screen]: { [name]: 'Text' } })).toEqual(
    reason === undefined
      ? []
      : [`${screen}.${name}: is not supported: ${reason}; leave it out or set it to ""`],
  )
  expect(rulesOf({ [screen]: { [name]: '' } })).toEqual([])
})

it('a reason beside "the page has no such text" belongs to a screen or text of the format', () => {
  const reasons = TEXTS.map(([screen, name]) => whyLoginTextDoesNotAct(screen, name))
  expect([...new Set(reasons)].sort()).toEqual([
    'messages about problems are not replaced',
    'the page belongs to no organization',
    'the page has no such text',
    'the text holds the length that the policy asks for',
    'there is no such page',
    undefined,
  ])
})

it.each(['title', 'nextButtonText', 'description', 'descriptionOtp'])('limits the length of %s', (name) => {
  const most = name.startsWith('description') ? 500 : 200
  expect(loginTextLimit(name)).toBe(most)
  const screen = name === 'descriptionOtp' ? undefined : 'loginText'
  if (screen === undefined) return
  expect(rulesOf({ loginText: { [name]: 'x'.repeat(most) } })).toEqual([])
  expect(rulesOf({ loginText: { [name]: 'x'.repeat(most + 1) } })).toEqual([
    `loginText.${name}: must have at most ${most} characters`,
  ])
})

const NOT_SHOWN = 'must have no control characters and none that change the direction'

it.each([
  ['a line feed', 'a\nb'],
  ['a zero character', 'a\0'],
  ['a separator of lines', 'a\u2028b'],
  ['a right-to-left override', '\u202egnirts'],
  ['an isolate', '\u2066a\u2069'],
  ['the end of an isolate', 'a\u2069b'],
  ['an Arabic letter mark', '\u061ca'],
  ['half of a surrogate pair', 'a\ud800'],
])('refuses %s', (_what, title) => {
  expect(rulesOf({ loginText: { title } })).toEqual([`loginText.title: ${NOT_SHOWN}`])
  expect(obeyedLoginTexts({ loginText: { title } })).toEqual({})
})

it.each([' ', '\u00a0'])('refuses a text that shows nothing: %j', (title) => {
  expect(rulesOf({ loginText: { title } })).toEqual(['loginText.title: must have a visible character'])
})

it.each(['Willkommen 👩‍💻', 'مرحبا بكم', 'می‌خواهم', 'ようこそ', '<b>{x}</b> {{.Name}} &amp;', 'it’s'])(
  'takes plain text of any script: %s',
  (title) => {
    expect(rulesOf({ loginText: { title } })).toEqual([])
    expect(obeyedLoginTexts({ loginText: { title } })).toEqual({ 'loginText.title': title })
  },
)

it('refuses what is no screen, no text and no string', () => {
  const texts = {
    language: 'de',
    loginText: { x: 'y', title: 7, toString: 'z' },
    logoutText: ['a'],
    constructor: {},
  }
  expect(rulesOf(texts)).toEqual([
    'language: is no screen of the format',
    'loginText.x: is no text of the format',
    'loginText.title: must be a text',
    'loginText.toString: is no text of the format',
    'logoutText: must be an object of texts',
    'constructor: is no screen of the format',
  ])
  expect(obeyedLoginTexts(texts)).toEqual({})
})

it('names no text of a document that is long or has other characters than letters and digits', () => {
  expect(rulesOf({ ['x'.repeat(61)]: {}, loginText: { 'a\nb': 'c' } })).toEqual([
    '(unprintable): is no screen of the format',
    'loginText.(unprintable): is no text of the format',
  ])
})

it('reads stored texts by the present rules', () => {
  expect(
    shownLoginTexts({
      'loginText.title': 'Hello',
      'passwordText.title': '\u202e',
      'logoutText.title': 'Bye',
      'rejected.title': 'Fine',
      'loginText.nextButtonText': 5,
    }),
  ).toEqual({ 'loginText.title': 'Hello' })
})

const IGNORABLE = Array.from({ length: 0x110000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code))
  .filter((character) => /\p{Default_Ignorable_Code_Point}/u.test(character))
const titleRules = (title: string) => rulesOf({ loginText: { title } })

it('refuses texts of invisible characters and spaces, and a single one among letters except a joiner', () => {
  expect(IGNORABLE).toEqual(
    expect.arrayContaining(['\u3164', '\u115f', '\uffa0', '\u200b', '\ufeff', '\u{e0041}']),
  )
  const invisible = fc.constantFrom(...IGNORABLE, '\u2800')
  fc.assert(
    fc.property(fc.array(fc.oneof(invisible, fc.constant(' ')), { minLength: 1, maxLength: 50 }), (parts) => {
      expect(titleRules(parts.join(''))).toHaveLength(1)
    }),
  )
  for (const character of [...IGNORABLE, '\u2800']) {
    const isJoiner = character === '\u200c' || character === '\u200d'
    if (titleRules(`a${character}b`).length !== (isJoiner ? 0 : 1))
      expect.fail(JSON.stringify(character.codePointAt(0)))
  }
})

it.each([
  '👩\u200d👩\u200d👧',
  '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f} English',
  '👩🏽\u200d🚒',
  '1\ufe0f\u20e3',
  'I ❤\ufe0f you',
  '☎\ufe0e',
  'می\u200cخواهم',
  'ශ්\u200dරී ලංකා',
  '葛\u{e0100}飾区',
])('accepts emoji, joiners between letters and variants: %s', (text) => {
  expect(titleRules(text)).toEqual([])
})

it.each(['a\u200d', '\u200cb', 'a\u200d\u200db', 'a\u{e0067}', '🏴\u{e0067}', 'a\ufe0f'])(
  'refuses what is outside of such a sequence: %j',
  (text) => {
    expect(titleRules(text)).toEqual([
      'loginText.title: must have no invisible characters except in emoji and between letters',
    ])
  },
)
