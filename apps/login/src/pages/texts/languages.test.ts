import { UI_LOCALES } from '@signet/protocol/authorization-parameters'
import { IntlMessageFormat } from 'intl-messageformat'
import { expect, it } from 'vitest'
import { CATALOGUES, TEXTS } from './languages.ts'
import { MESSAGE_PARAMETERS } from './message-parameters.ts'

interface Tree {
  readonly [key: string]: string | Tree
}

/** The messages of a catalogue by path: `login.title`. */
function messagesOf(tree: Tree, path = ''): readonly (readonly [path: string, text: string])[] {
  return Object.entries(tree).flatMap(([key, value]) =>
    typeof value === 'string' ? [[`${path}${key}`, value] as const] : messagesOf(value, `${path}${key}.`),
  )
}

type Elements = ReturnType<IntlMessageFormat['getAst']>

const elementsOf = (text: string, language: string): Elements =>
  new IntlMessageFormat(text, language, undefined, { ignoreTag: true }).getAst()

function parametersOf(elements: Elements): readonly string[] {
  return elements.flatMap((element) => {
    if (!('value' in element) || element.type === 0) return []
    const nested = 'options' in element ? Object.values(element.options) : []
    return [element.value, ...nested.flatMap(({ value }) => parametersOf(value))]
  })
}

const distinct = (names: readonly string[]) => [...new Set(names)].sort()

interface ParameterTree {
  readonly [key: string]: readonly string[] | ParameterTree
}

/** The parameters of a table by the path of the message. */
function parametersIn(tree: ParameterTree, path = ''): readonly (readonly [string, readonly string[]])[] {
  return Object.entries(tree).flatMap(([key, value]) =>
    Array.isArray(value)
      ? [[`${path}${key}`, distinct(value)] as const]
      : parametersIn(value as ParameterTree, `${path}${key}.`),
  )
}

const ENGLISH = new Map(messagesOf(CATALOGUES.en))

const LANGUAGES = UI_LOCALES.map((language) => [language, messagesOf(CATALOGUES[language])] as const)

it.each(LANGUAGES)(
  '"%s" has each text of the English pages, with the same parameters',
  (language, messages) => {
    expect(CATALOGUES[language].language).toBe(language)
    expect(messages.map(([path]) => path).sort()).toEqual([...ENGLISH.keys()].sort())
    for (const [path, text] of messages) {
      const parameters = distinct(parametersOf(elementsOf(text, language)))
      const expected = distinct(parametersOf(elementsOf(ENGLISH.get(path) ?? '', 'en')))
      expect(parameters, path).toEqual(expected)
      expect(text.trim(), path).toBe(text)
      expect(text, path).not.toBe('')
    }
  },
)

it('the parameters of each English message are those of the table', () => {
  const withParameters = [...ENGLISH].flatMap(([path, text]) => {
    const names = distinct(parametersOf(elementsOf(text, 'en')))
    return names.length === 0 ? [] : [[path, names] as const]
  })
  expect(new Map(withParameters)).toEqual(new Map(parametersIn(MESSAGE_PARAMETERS)))
})

it.each(LANGUAGES)('plurals of "%s" have the forms for 1 to 120', (language, messages) => {
  const rules = new Intl.PluralRules(language)
  const needed = distinct(Array.from({ length: 120 }, (_, index) => rules.select(index + 1)))
  for (const [path, text] of messages) {
    for (const element of elementsOf(text, language)) {
      if ('pluralType' in element)
        expect(Object.keys(element.options), path).toEqual(expect.arrayContaining(needed))
    }
  }
})

const SCRIPTS = { ar: /\p{Script=Arabic}/u, ja: /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u }

it.each(Object.entries(SCRIPTS))('each text of "%s" is in the script of the language', (language, script) => {
  for (const [path, text] of messagesOf(CATALOGUES[language as keyof typeof SCRIPTS])) {
    if (path !== 'language' && path !== 'product') expect(text, path).toMatch(script)
  }
})

it('French texts differ from the English ones, except for words that are the same', () => {
  const same = messagesOf(CATALOGUES.fr).filter(([path, text]) => ENGLISH.get(path) === text)
  expect(same.map(([, text]) => text).filter((text) => !['Signet', 'Code'].includes(text))).toEqual([])
})

it('isolates the direction of text parameters and escapes them', () => {
  expect(TEXTS.ar.login.intro({ application: '<Portal>' }).markup).toBe(
    'للمتابعة إلى <bdi>&lt;Portal&gt;</bdi>',
  )
})

it('chooses the plural form of the language', () => {
  const left = (language: keyof typeof TEXTS, count: number) => TEXTS[language].factors.codesLeft({ count })
  expect(left('en', 1)).toBe('One unused recovery code is left.')
  expect(left('fr', 3)).toBe('Il vous reste 3 codes de récupération inutilisés.')
  expect(left('ar', 2)).toBe('بقي رمزا استرداد غير مستخدمين.')
  expect(left('ar', 3)).toBe('بقيت 3 رموز استرداد غير مستخدمة.')
  expect(left('ja', 8)).toBe('未使用のリカバリーコードが8個残っています。')
})
