import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Html, html } from './html.ts'

it('escapes hostile text in content and in attributes', () => {
  const hostile = `"><script>alert('x')</script>\`&`
  const { markup } = html`<p title="${hostile}">${hostile}</p>`
  const escaped = '&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&#96;&amp;'
  expect(markup).toBe(`<p title="${escaped}">${escaped}</p>`)
})

it('lets no interpolated text bring in a character that ends an attribute or opens a tag', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(html`${text}`.markup).not.toMatch(/[<>"'`]/)
    }),
  )
})

it('escapes inside arrays and keeps markup that was made by html', () => {
  expect(html`<ul>${['<a>', '<b>'].map((item) => html`<li>${item}</li>`)}</ul>`.markup).toBe(
    '<ul><li>&lt;a&gt;</li><li>&lt;b&gt;</li></ul>',
  )
  expect(html`${['<', '>']}`.markup).toBe('&lt;&gt;')
})

it('renders absent values as nothing and zero as 0', () => {
  expect(html`[${undefined}${false}${0}]`.markup).toBe('[0]')
})

it('does not take an object that merely looks like markup', () => {
  const forged = { markup: '<script>' } as Html
  expect(html`${forged}`.markup).not.toContain('<script>')
  expect(html`${new Html('<b>')}`.markup).toBe('<b>')
})
