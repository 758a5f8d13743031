import { startSystem } from '@signet/testing/system/start-system'
import type { Answer } from '@signet/testing/system/test-system'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { connectProvider, PROVIDER_SYSTEM, type Provider } from '../provider.ts'

let provider: Provider
let answer: Answer
beforeAll(async () => {
  provider = await connectProvider(await startSystem(PROVIDER_SYSTEM))
  answer = await provider.system.fetch('/.well-known/openid-configuration')
}, 60_000)
afterAll(() => provider?.stop())

const list = (name: string) => answer.json[name] as readonly string[]

it('oidcc-discovery-endpoint-verification, oidcc-rp-initiated-logout-discovery-endpoint-verification, oidcc-backchannel-rp-initiated-logout-discovery-endpoint-verification: contains the required metadata [discovery.document] [fapi.server.metadata]', async () => {
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
  expect(answer.json.issuer).toBe(provider.issuer)
  const endpoints = Object.entries(answer.json).filter(([name]) => /_endpoint$|^jwks_uri$/.test(name))
  expect(endpoints.map(([name]) => name)).toEqual(
    expect.arrayContaining(['userinfo_endpoint', 'end_session_endpoint', 'jwks_uri']),
  )
  for (const [, url] of endpoints) expect(String(url).startsWith(`${provider.issuer}/`)).toBe(true)
  expect(list('response_types_supported')).toEqual(['code', 'id_token', 'id_token token'])
  expect(list('subject_types_supported')).toContain('public')
  expect(list('id_token_signing_alg_values_supported')).toContain('RS256')
  expect(list('scopes_supported')).toContain('openid')
  expect(list('grant_types_supported')).toContain('refresh_token')
  expect(list('code_challenge_methods_supported')).toEqual(['S256'])
  expect(answer.json).toMatchObject({
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
    request_parameter_supported: true,
    request_uri_parameter_supported: false,
  })
})

it('oidcc-discovery-endpoint-verification: locales are canonical BCP 47', () => {
  const locales = list('ui_locales_supported')
  expect(Intl.getCanonicalLocales([...locales])).toEqual(locales)
})

it('oidcc-server: before a flow the key set has distinct, public, known keys [keys.kid]', async () => {
  const { json } = await provider.system.fetch('/oauth/v2/keys')
  const keys = json.keys as readonly Record<string, string>[]
  const kids = keys.map(({ kid }) => kid)
  expect(kids.every((kid) => kid !== undefined && kid !== '')).toBe(true)
  expect(new Set(kids).size).toBe(kids.length)
  for (const { kty, use, alg, ...members } of keys) {
    expect(['RSA', 'EC', 'OKP']).toContain(kty)
    expect([use, ['RS256', 'ES256', 'EdDSA'].includes(alg ?? '')]).toEqual(['sig', true])
    expect(Object.keys(members).filter((name) => !['kid', 'n', 'e', 'crv', 'x', 'y'].includes(name))).toEqual(
      [],
    )
  }
})
