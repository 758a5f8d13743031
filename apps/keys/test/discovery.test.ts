import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ISSUER, type RunningKeys, runKeys } from './fixtures/running-keys.ts'

let keys: RunningKeys
beforeAll(async () => {
  keys = await runKeys()
})
afterAll(() => keys.stop())

const get = (headers: Record<string, string> = {}) =>
  fetch(`${keys.url}/.well-known/openid-configuration`, { headers })

describe('/.well-known/openid-configuration', () => {
  it('OIDC Discovery section 3: every required member, and every endpoint below the issuer', async () => {
    const response = await get()
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json'])
    const metadata = (await response.json()) as Record<string, unknown>
    expect(metadata).toMatchObject({
      issuer: ISSUER,
      authorization_endpoint: `${ISSUER}/oauth/v2/authorize`,
      token_endpoint: `${ISSUER}/oauth/v2/token`,
      introspection_endpoint: `${ISSUER}/oauth/v2/introspect`,
      userinfo_endpoint: `${ISSUER}/oidc/v1/userinfo`,
      revocation_endpoint: `${ISSUER}/oauth/v2/revoke`,
      end_session_endpoint: `${ISSUER}/oidc/v1/end_session`,
      jwks_uri: `${ISSUER}/oauth/v2/keys`,
      response_types_supported: ['code', 'id_token', 'id_token token'],
      acr_values_supported: ['urn:service:acr:pwd', 'urn:service:acr:mfa', 'urn:service:acr:passkey'],
      claims_parameter_supported: true,
      prompt_values_supported: ['none', 'login', 'consent', 'select_account', 'create'],
      ui_locales_supported: ['en', 'de', 'fr', 'ar', 'ja'],
      grant_types_supported: [
        'authorization_code',
        'implicit',
        'refresh_token',
        'client_credentials',
        'urn:ietf:params:oauth:grant-type:jwt-bearer',
        'urn:ietf:params:oauth:grant-type:token-exchange',
      ],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: expect.arrayContaining(['RS256']),
      scopes_supported: expect.arrayContaining(['openid', 'offline_access']),
      code_challenge_methods_supported: ['S256'],
    })
  })

  it('states unsupported features where omission would mean support', async () => {
    expect(await (await get()).json()).toMatchObject({
      request_parameter_supported: true,
      request_uri_parameter_supported: false,
    })
  })

  it('RFC 9207 section 3: announces iss in authorization responses', async () => {
    expect(await (await get()).json()).toMatchObject({ authorization_response_iss_parameter_supported: true })
  })

  it('Back-Channel Logout 1.0 section 2.1: announces logout tokens with a sid', async () => {
    expect(await (await get()).json()).toMatchObject({
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
    })
  })

  it('RFC 7662 section 2.1: introspection has no method for clients without a secret', async () => {
    expect(await (await get()).json()).toMatchObject({
      introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'private_key_jwt'],
    })
  })

  it('does not depend on the Host header', async () => {
    expect(await (await get({ 'x-forwarded-host': 'evil.example' })).json()).toMatchObject({ issuer: ISSUER })
  })

  it('can be cached, validated and read from any origin', async () => {
    const first = await get({ origin: 'https://app.example' })
    expect(first.headers.get('cache-control')).toBe('public, max-age=300')
    expect(first.headers.get('access-control-allow-origin')).toBe('*')
    expect((await get({ 'if-none-match': first.headers.get('etag') ?? '' })).status).toBe(304)
  })

  it('there is no OAuth 2.0 metadata document beside it [discovery.no-oauth-metadata]', async () => {
    expect((await fetch(`${keys.url}/.well-known/oauth-authorization-server`)).status).toBe(404)
  })
})

describe('/.well-known/security.txt', () => {
  it('RFC 9116: serves the contacts of the settings as text', async () => {
    const contacts = ['mailto:security@example.com']
    const reporting = await runKeys({ securityContacts: contacts })
    const response = await fetch(`${reporting.url}/.well-known/security.txt`)
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/plain; charset=utf-8',
    ])
    expect(await response.text()).toContain('Contact: mailto:security@example.com\r\n')
    expect(response.headers.get('strict-transport-security')).toBe('max-age=31536000')
    await reporting.stop()
  })

  it('is 404 without a contact', async () => {
    expect((await fetch(`${keys.url}/.well-known/security.txt`)).status).toBe(404)
  })
})
