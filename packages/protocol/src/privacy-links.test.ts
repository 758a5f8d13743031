import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  brokenPrivacyLinks,
  inLanguage,
  obeyedPrivacyLinks,
  PRIVACY_MEMBERS,
  privacyLinkProblem,
  privacyLinksNotObeyed,
} from './privacy-links.ts'

describe('a link of a privacy policy', () => {
  it.each([
    'https://acme.example',
    'https://acme.example/{{.Lang}}/terms?a=b#c',
    'HTTPS://acme.example/',
    'http://localhost:3000/terms',
    'http://127.0.0.1/terms',
    '',
  ])('is accepted: %s', (uri) => {
    expect(privacyLinkProblem('tosLink', uri)).toBeUndefined()
  })

  it.each([
    'javascript:alert(1)',
    'java\nscript:alert(1)',
    ' javascript:alert(1)',
    'data:text/html,x',
    'mailto:a@acme.example',
    'http://acme.example/',
    'https:acme.example',
    'https:///acme.example',
    '//acme.example',
    '/terms',
    'terms',
    'https://acme.example/a b',
    'https://acme.example/\u0000',
    'https://acme.example/\u202e',
    'https://accounts.example@evil.example/',
    `https://acme.example/${'a'.repeat(1000)}`,
  ])('is refused: %j', (uri) => {
    expect(privacyLinkProblem('privacyLink', uri)).toMatch(/^(must|may) /)
    expect(obeyedPrivacyLinks({ privacyLink: uri })).toEqual({})
    expect(privacyLinksNotObeyed({ privacyLink: uri })).toEqual(['privacyLink'])
  })

  it('has the language of the page in the place of {{.Lang}}', () => {
    expect(inLanguage('https://acme.example/{{.Lang}}/terms', 'ar')).toBe('https://acme.example/ar/terms')
  })

  it('that pages show is https, or http for this machine', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.webUrl(),
          fc.string(),
          fc.string().map((text) => `https:${text}`),
        ),
        (uri) => {
          const { tosLink } = obeyedPrivacyLinks({ tosLink: uri })
          if (tosLink === undefined) return
          const { protocol, hostname } = new URL(inLanguage(tosLink, 'en'))
          expect(protocol === 'https:' || hostname === 'localhost').toBe(true)
        },
      ),
    )
  })
})

it.each(['a@acme.example', 'help+de@a.b-c.example', ''])('an address is accepted: %s', (address) => {
  expect(privacyLinkProblem('supportEmail', address)).toBeUndefined()
})

it.each([
  'acme.example',
  'mailto:a@acme.example',
  'a@acme.example?bcc=b@evil.example',
  'a@b@c',
  'a b@c',
  'a@acme.example\n',
])('an address is refused: %j', (address) => {
  expect(privacyLinkProblem('supportEmail', address)).toBe('must be an e-mail address, without mailto:')
})

it('a link of the own is shown with its text only', () => {
  const link = { customLink: 'https://acme.example/' }
  const text = { customLinkText: 'Our shop' }
  expect(brokenPrivacyLinks(link)).toEqual([
    { member: 'customLink', rule: 'has no effect without customLinkText; set both or neither' },
  ])
  expect(brokenPrivacyLinks(text).map(({ member }) => member)).toEqual(['customLinkText'])
  expect([obeyedPrivacyLinks(link), obeyedPrivacyLinks(text)]).toEqual([{}, {}])
  expect(brokenPrivacyLinks({ ...link, ...text })).toEqual([])
  expect(obeyedPrivacyLinks({ ...link, ...text })).toEqual({ ...link, ...text })
  const reordered = { ...link, customLinkText: '\u202eShop' }
  expect(privacyLinksNotObeyed(reordered)).toEqual(['customLink', 'customLinkText'])
})

it('values of other types are not obeyed', () => {
  const document = Object.fromEntries(PRIVACY_MEMBERS.map((member) => [member, { a: 1 }]))
  expect(privacyLinksNotObeyed(document)).toEqual(PRIVACY_MEMBERS)
})
