import { ALICE_CLAIMS } from '@signet/testing/fixture-user'
import {
  asserted,
  assertionOf,
  basic,
  NO_CREDENTIALS,
  post,
  publicClient,
} from '@signet/testing/system/client-credentials'
import { startSystem } from '@signet/testing/system/start-system'
import { API_SECRET, OTHER_SECRET } from '@signet/testing/system/test-directory'
import { type Answer, type TestSystem, type Tokens, tokensOf } from '@signet/testing/system/test-system'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const INTROSPECT = '/oauth/v2/introspect'
const USERINFO = '/oidc/v1/userinfo'
const ALL_SCOPES = 'openid profile email phone address'
const { email: EMAIL, address: ADDRESS } = ALICE_CLAIMS
const PROFILE = { ...ALICE_CLAIMS.profile, updated_at: expect.any(Number) }
const PHONE = { ...ALICE_CLAIMS.phone, phone_number_verified: false }

let system: TestSystem
let alice: Tokens
beforeAll(async () => {
  system = await startSystem({ mode: 'in-process' })
  alice = await system.tokens({ scope: ALL_SCOPES })
}, 60_000)
afterAll(() => system?.stop())

function expectInactive(answer: Answer): void {
  expect(answer.status).toBe(200)
  expect(answer.text).toBe('{"active":false}')
  expect(answer.headers.get('cache-control')).toBe('no-store')
}

describe('RFC 7662 section 2.2: an active token', () => {
  it('introspection: exactly these members', async () => {
    const answer = await system.introspect(alice.access_token)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
    const { iat } = answer.json as { iat: number }
    expect(answer.json).toEqual({
      active: true,
      iss: system.issuer,
      sub: 'alice',
      aud: ['web', 'portal'],
      client_id: 'web',
      scope: ALL_SCOPES,
      token_type: 'Bearer',
      jti: expect.any(String),
      iat,
      nbf: iat,
      exp: iat + 3600,
      auth_time: expect.any(Number),
      amr: ['pwd'],
      acr: 'urn:service:acr:pwd',
      username: 'alice@acme.localhost',
      ...PROFILE,
      ...EMAIL,
      ...PHONE,
      ...ADDRESS,
    })
  })

  it('without profile there is still the username, and no claim of the scopes', async () => {
    const { access_token } = await system.tokens({ scope: 'openid' })
    const { json } = await system.introspect(access_token)
    expect(json).toMatchObject({ active: true, username: 'alice@acme.localhost' })
    expect(json).not.toHaveProperty('name')
    expect(json).not.toHaveProperty('email')
  })

  it('token_type_hint and unknown parameters are ignored', async () => {
    const form = { token: alice.access_token, token_type_hint: 'refresh_token', extra: 'foobar' }
    expect((await system.post(INTROSPECT, form, basic('api', API_SECRET))).json.active).toBe(true)
  })

  it.each(['web', 'api', 'post', 'keyed'])(
    'introspection: %s, of the same project, may ask',
    async (clientId) => {
      const credentials = clientId === 'post' ? basic('post', OTHER_SECRET) : undefined // with a secret every client
      // uses Basic here
      const answer = credentials
        ? await system.post(INTROSPECT, { token: alice.access_token }, credentials)
        : await system.introspect(alice.access_token, clientId)
      expect(answer.json.active).toBe(true)
    },
  )

  it('an assertion may be repeated here until its exp [F-11]', async () => {
    const credentials = asserted(await assertionOf(`${system.issuer}${INTROSPECT}`))
    for (const attempt of ['first', 'second']) {
      const answer = await system.post(INTROSPECT, { token: alice.access_token }, credentials)
      expect(answer.json.active, attempt).toBe(true)
    }
  })
})

describe('returns only active: false [F-23]', () => {
  it('to a caller that is not in the audience of the token [fault.no-audience]', async () => {
    expectInactive(await system.introspect(alice.access_token, 'foreign'))
  })

  it.each<[string, () => string | Promise<string>]>([
    ['garbage', () => 'garbage'],
    ['nothing behind the prefix', () => 'sgat_'],
    ['too much behind the prefix', () => `sgat_${'A'.repeat(30_000)}`],
    ['a changed character', () => alice.access_token.replace(/.(?=..$)/, (it) => (it === 'A' ? 'B' : 'A'))],
    [
      'another header',
      () => alice.access_token.replace(/^sgat_[^.]+/, `sgat_${Buffer.from('{}').toString('base64url')}`),
    ],
    ['a refresh token', async () => (await system.tokens()).refresh_token],
    ['an ID token [F-25]', () => alice.id_token],
    ['an authorization code', async () => (await system.code()).code],
    ['an unsigned JWT', () => `${Buffer.from('{"alg":"none"}').toString('base64url')}.e30.`],
  ])('for %s', async (_, token) => {
    expectInactive(await system.introspect(await token()))
  })

  it('for an access token that has expired', async () => {
    const answer = await system.redeem(await system.code({ clientId: 'short-lived' }))
    expect(answer.json.expires_in).toBe(1)
    await expect
      .poll(async () => (await system.introspect(tokensOf(answer).access_token)).text)
      .toBe('{"active":false}')
  })
})

describe('introspection: client authorization fails', () => {
  const cases: [string, () => ReturnType<typeof basic> | Promise<ReturnType<typeof basic>>, boolean][] = [
    ['a wrong secret', () => basic('api', 'wrong'), true],
    ['an unknown client', () => basic('nobody', 'x'), true],
    ['no authentication', () => NO_CREDENTIALS, false],
    ['a public client', () => publicClient('spa'), false],
    ['a secret in the body', () => post('post', OTHER_SECRET), false],
    [
      'an assertion for somebody else',
      async () => asserted(await assertionOf('https://other.example.com')),
      false,
    ],
    [
      'the token itself',
      () => ({ headers: { authorization: `Bearer ${alice.access_token}` }, form: {} }),
      true,
    ],
  ]

  it.each(cases)('%s: 401 invalid_client', async (_, credentials, challenged) => {
    const answer = await system.post(INTROSPECT, { token: alice.access_token }, await credentials())
    expect(answer.status).toBe(401)
    expect(answer.json).toEqual({ error: 'invalid_client', error_description: expect.any(String) })
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('www-authenticate') !== null).toBe(challenged)
  })

  it.each([
    ['no token', []],
    ['an empty token', [['token', '']]],
    [
      'two tokens [F-09]',
      [
        ['token', 'a'],
        ['token', 'b'],
      ],
    ],
  ])('%s: 400 invalid_request', async (_, pairs) => {
    const answer = await system.post(INTROSPECT, pairs, basic('api', API_SECRET))
    expect(answer.status).toBe(400)
    expect(answer.json.error).toBe('invalid_request')
  })
})

describe('OIDC Core section 5.3: userinfo', () => {
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  const byForm = (token: string) => ({ method: 'POST', body: new URLSearchParams({ access_token: token }) })

  it.each<[string, (token: string) => RequestInit]>([
    ['GET with a header', (token) => ({ headers: bearer(token) })],
    ['POST with a header', (token) => ({ method: 'POST', headers: bearer(token) })],
    ['POST with a form field', byForm],
  ])('%s returns exactly the claims of all scopes', async (_, request) => {
    const answer = await system.fetch(USERINFO, request(alice.access_token))
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.json).toEqual({ sub: 'alice', ...PROFILE, ...EMAIL, ...PHONE, ...ADDRESS })
  })

  it.each([
    ['openid', {}],
    ['openid email', EMAIL],
    ['openid phone', PHONE],
    ['openid address', ADDRESS],
    ['openid profile', PROFILE],
  ])('OIDC Core section 5.4: %s reveals its claims only', async (scope, claims) => {
    const { access_token } = await system.tokens({ scope })
    const answer = await system.fetch(USERINFO, { headers: bearer(access_token) })
    expect(answer.json).toEqual({ sub: 'alice', ...claims })
  })

  it('omits unknown claims and keeps false (OIDC Core section 5.3.2)', async () => {
    const { access_token } = await system.tokens({ scope: ALL_SCOPES, loginName: 'bob' })
    const answer = await system.fetch(USERINFO, { headers: bearer(access_token) })
    expect(answer.json).toEqual({
      sub: 'bob',
      name: expect.any(String),
      given_name: 'Alice',
      family_name: 'Example',
      preferred_username: 'bob@acme.localhost',
      updated_at: expect.any(Number),
      email: 'bob@acme.localhost',
      email_verified: false,
    })
  })

  it.each<[string, () => RequestInit]>([
    ['garbage', () => ({ headers: bearer('garbage') })],
    ['a refresh token', () => ({ headers: bearer('sgrt_x.y.0.z') })],
    ['an ID token', () => ({ headers: bearer(alice.id_token) })],
    ['garbage in the form', () => byForm('garbage')],
  ])('RFC 6750 section 3.1: %s is 401 invalid_token', async (_, request) => {
    const answer = await system.fetch(USERINFO, request())
    expect(answer.status).toBe(401)
    expect(answer.json).toEqual({ error: 'invalid_token', error_description: expect.any(String) })
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer realm="[^"]*", error="invalid_token"/)
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })

  it('RFC 6750 section 3: without a token the challenge has no error code', async () => {
    const answer = await system.fetch(USERINFO)
    expect(answer.status).toBe(401)
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer realm="[^"]*"$/)
  })

  it('a token in the query is not looked at [F-12]', async () => {
    const query = new URLSearchParams({ access_token: alice.access_token })
    for (const method of ['GET', 'POST']) {
      expect((await system.fetch(`${USERINFO}?${query}`, { method })).status, method).toBe(401)
    }
  })

  it('RFC 6750 section 2: header and form at once are invalid_request', async () => {
    const answer = await system.fetch(USERINFO, {
      ...byForm(alice.access_token),
      headers: bearer(alice.access_token),
    })
    expect(answer.status).toBe(400)
    expect(answer.json.error).toBe('invalid_request')
  })

  it('a token without openid is 403 insufficient_scope', async () => {
    const { refresh_token } = await system.tokens({ scope: 'openid email offline_access' })
    const { access_token } = tokensOf(await system.refresh('web', refresh_token, { scope: 'email' }))
    const answer = await system.fetch(USERINFO, { headers: bearer(access_token) })
    expect(answer.status).toBe(403)
    expect(answer.json.error).toBe('insufficient_scope')
    expect(answer.headers.get('www-authenticate')).toMatch(/error="insufficient_scope".*scope="openid"/)
  })

  it('userinfo: a revoked token is 401', async () => {
    const { access_token } = await system.tokens({ scope: 'openid' })
    await system.revoke('web', access_token)
    expect((await system.fetch(USERINFO, { headers: bearer(access_token) })).status).toBe(401)
  })

  it('other methods are 405', async () => {
    const answer = await system.fetch(USERINFO, { method: 'DELETE' })
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')).toMatch(/GET/)
  })
})
