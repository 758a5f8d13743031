import { expect, it } from 'vitest'
import { passkeyParty } from './passkey-settings.ts'

const ISSUER = 'https://id.eu.example.com'
const withRpId = (rpId: string, issuer = ISSUER) => passkeyParty(issuer, { SIGNET_PASSKEY_RP_ID: rpId })

it.each([
  ['https://id.example.com', 'id.example.com'],
  ['http://localhost:8080', 'localhost'],
  ['http://127.0.0.1:8080', undefined],
  ['http://[::1]:8080', undefined],
])('uses the host of the issuer %s by default', (issuer, rpId) => {
  expect(passkeyParty(issuer)?.rpId).toBe(rpId)
})

it.each(['id.eu.example.com', 'eu.example.com', 'example.com'])('accepts the RP ID %s', (rpId) => {
  expect(withRpId(rpId)).toEqual({ rpId, origin: ISSUER, relatedOrigins: [] })
})

it.each([
  ['a public suffix', 'com', ISSUER],
  ['a public suffix of two labels', 'co.uk', 'https://id.example.co.uk'],
  ['a private public suffix', 'github.io', 'https://example.github.io'],
  ['another domain', 'example.org', ISSUER],
  ['a child of the host', 'a.id.eu.example.com', ISSUER],
  ['a domain that only ends alike', 'ple.com', ISSUER],
  ['an IP address', '127.0.0.1', 'http://127.0.0.1:8080'],
])('refuses %s as RP ID', (_what, rpId, issuer) => {
  expect(() => withRpId(rpId, issuer)).toThrow('SIGNET_PASSKEY_RP_ID: must be the host of SIGNET_ISSUER')
})

it('refuses related origins that no browser would read', () => {
  const related = { SIGNET_PASSKEY_RELATED_ORIGINS: ['https://example.de'] }
  expect(passkeyParty(ISSUER, related)?.relatedOrigins).toEqual(['https://example.de'])
  expect(() => passkeyParty(ISSUER, { ...related, SIGNET_PASSKEY_RP_ID: 'example.com' })).toThrow(
    'serve it there',
  )
  expect(() => passkeyParty('http://127.0.0.1:8080', related)).toThrow('has no passkeys')
})
