import { html } from '@signet/http/html'
import { UI_LOCALES } from '@signet/protocol/authorization-parameters'
import { type LoginTexts, PAGE_TEXTS } from '@signet/protocol/login-texts'
import { expect, it } from 'vitest'
import { withOwnTexts } from './custom-texts.ts'
import { TEXTS } from './languages.ts'

const at = (tree: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((node, key) => (node as Readonly<Record<string, unknown>>)[key], tree)

it.each(UI_LOCALES)('replaces each text that acts, and no other: %s', (language) => {
  const own: LoginTexts = Object.fromEntries(Object.keys(PAGE_TEXTS).map((name) => [name, `own ${name}`]))
  const before = JSON.stringify(TEXTS[language])
  const texts = withOwnTexts(TEXTS[language], own)
  for (const [name, key] of Object.entries(PAGE_TEXTS)) {
    expect(typeof at(TEXTS[language], key), key).toBe('string')
    expect(at(texts, key), key).toBe(`\u2068own ${name}\u2069`)
  }
  expect(JSON.stringify(texts).split('\u2068own ')).toHaveLength(Object.keys(PAGE_TEXTS).length + 1)
  expect(JSON.stringify(TEXTS[language])).toBe(before)
  expect(texts.login.intro).toBe(TEXTS[language].login.intro)
  expect(texts.consent).toBe(TEXTS[language].consent)
  expect(texts.rejected).toBe(TEXTS[language].rejected)
})

it('is the catalogue itself without texts of an organization', () => {
  expect(withOwnTexts(TEXTS.en)).toBe(TEXTS.en)
  expect(withOwnTexts(TEXTS.en, {})).toBe(TEXTS.en)
})

it('is neither an ICU message nor HTML', () => {
  const { login } = withOwnTexts(TEXTS.en, {
    'loginText.title': '{application} <b onclick="x">#</b> {{.Name}}',
  })
  expect(html`<h1>${login.title}</h1>`.markup).toBe(
    '<h1>\u2068{application} &lt;b onclick=&quot;x&quot;&gt;#&lt;/b&gt; {{.Name}}\u2069</h1>',
  )
})
