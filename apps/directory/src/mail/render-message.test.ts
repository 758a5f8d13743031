import { UI_LOCALES } from '@signet/protocol/authorization-parameters'
import { describe, expect, it } from 'vitest'
import { DEFAULT_TEXTS } from './default-texts.ts'
import { messageLanguage, renderMessage } from './render-message.ts'

const VALUES = { PreferredLoginName: 'alice@acme.example', Time: '2026-01-31 09:30 UTC' }

const placeholdersOf = (text: string) => (text.match(/\{\{[^}]*\}\}/g) ?? []).sort()

describe.each(UI_LOCALES)('the messages in "%s"', (language) => {
  it.each(Object.entries(DEFAULT_TEXTS.en))(
    '%s has the texts and placeholders of English',
    (kind, english) => {
      const texts = DEFAULT_TEXTS[language][kind as keyof typeof DEFAULT_TEXTS.en]
      expect(Object.keys(texts).sort()).toEqual(Object.keys(english).sort())
      for (const [name, text] of Object.entries(english)) {
        const translated = texts[name as keyof typeof texts]
        expect(placeholdersOf(translated), name).toEqual(placeholdersOf(text))
        expect(translated === '', name).toBe(text === '')
      }
    },
  )
})

const SCRIPTS = { ar: /\p{Script=Arabic}/u, ja: /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u }

it.each(Object.entries(SCRIPTS))('each text in "%s" is in the script of the language', (language, script) => {
  const texts = Object.values(DEFAULT_TEXTS[language as keyof typeof SCRIPTS]).flatMap((one) =>
    Object.values(one),
  )
  for (const text of texts.filter((one) => one !== '')) expect(text).toMatch(script)
})

it('an Arabic message is right to left and isolates names, times and codes', () => {
  const common = { language: 'ar', texts: {}, values: VALUES } as const
  const notice = renderMessage({ kind: 'password_changed', ...common })
  expect(notice.html).toContain('<html lang="ar" dir="rtl">')
  expect(notice.html).toContain('<div lang="ar" dir="rtl"')
  for (const body of [notice.text, notice.html]) {
    expect(body).toContain('\u2068alice@acme.example\u2069')
    expect(body).toContain('\u20682026-01-31 09:30 UTC\u2069')
  }
  const reset = renderMessage({
    kind: 'password_reset',
    ...common,
    link: 'https://id.example/',
    code: 'ABCDEFGH',
  })
  expect(reset.html).toContain('<bdi dir="ltr">ABCD-EFGH</bdi>')
  expect(reset.text).toContain('\nhttps://id.example/\n')
})

it('a message from left to right has its values as they are', () => {
  const { text, html } = renderMessage({
    kind: 'password_changed',
    language: 'fr',
    texts: {},
    values: VALUES,
  })
  expect(text).toContain('compte alice@acme.example a été changé le 2026-01-31 09:30 UTC')
  expect(html).toContain('<html lang="fr" dir="ltr">')
})

it.each([
  ['fr-CA', 'fr'],
  ['AR', 'ar'],
  ['ja', 'ja'],
  ['it', 'en'],
  [undefined, 'en'],
])('the preferred language %j leads to messages in %s', (preferred, language) => {
  expect(messageLanguage(preferred)).toBe(language)
})
