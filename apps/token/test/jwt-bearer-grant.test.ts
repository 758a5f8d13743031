import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { MACHINE_EC_KEY, MACHINE_KEY } from '@signet/testing/system/oauth-directory'
import {
  createOAuthEnvironment,
  ISSUER,
  OAUTH_SYSTEM,
  type OAuthEnvironment,
} from '@signet/testing/system/oauth-environment'
import { startSystem } from '@signet/testing/system/start-system'
import { type JWTPayload, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let oauth: OAuthEnvironment
beforeAll(async () => {
  oauth = createOAuthEnvironment(await startSystem(OAUTH_SYSTEM))
}, 60_000)
afterAll(() => oauth?.stop())

const now = () => Math.floor(Date.now() / 1000)

interface Signing {
  readonly key?: KeyObject
  readonly header?: object
}

function assertion(claims: JWTPayload = {}, { key = MACHINE_KEY.privateKey, header = {} }: Signing = {}) {
  const issuedAt = now()
  const times = { iat: issuedAt, exp: issuedAt + 60 }
  return new SignJWT({ iss: 'robot', sub: 'robot', aud: ISSUER, ...times, ...claims })
    .setProtectedHeader({ alg: 'RS256', kid: 'k1', ...header })
    .sign(key)
}

const request = async (value: string | Promise<string>, form: Record<string, string> = {}) =>
  oauth.token(
    { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: await value, ...form },
    { form: {} },
  )

describe('token: urn:ietf:params:oauth:grant-type:jwt-bearer', () => {
  it('returns access_token, expires_in, id_token, scope and token_type, also without openid', async () => {
    const answer = await request(assertion(), { scope: 'profile' })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('pragma')).toBe('no-cache')
    expect(answer.json).toEqual({
      access_token: expect.stringMatching(/^sgat_/),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'profile',
      id_token: expect.any(String),
    })
    const idToken = await oauth.verify(answer.json.id_token)
    expect(idToken).toMatchObject({
      sub: 'robot',
      aud: 'robot-client',
      azp: 'robot-client',
      at_hash: expect.any(String),
    })
    expect(idToken).not.toHaveProperty('name')
  })

  it('the token is that of the service user: userinfo, introspection, bearer of the APIs', async () => {
    const scope = 'openid urn:service:iam:org:project:id:portal:aud urn:service:iam:org:project:id:signet:aud'
    const { json } = await request(assertion(), { scope })
    expect((await oauth.userinfo(json.access_token)).json).toEqual({ sub: 'robot' })
    expect((await oauth.introspect(json.access_token)).json).toMatchObject({
      active: true,
      sub: 'robot',
      client_id: 'robot-client',
      username: 'robot@acme.localhost',
      aud: ['robot-client', 'portal', 'signet'],
    })
    expect(await oauth.bearer(json.access_token)).toMatchObject({ userId: 'robot' })
  })

  it.each(['urn:zitadel:iam:org:project:id:zitadel:aud', 'urn:service:iam:org:project:id:signet:aud'])(
    'calls the management API with its roles after asking for %s, without a mark',
    async (scope) => {
      const who = { iss: 'automation', sub: 'automation' }
      const { json } = await request(assertion(who), { scope: `openid ${scope}` })
      const headers = { authorization: `Bearer ${String(json.access_token)}` }
      const users = '/management/v1/users?organizationId=acme'
      expect((await oauth.call(users, { headers })).status).toBe(200)
      expect((await oauth.call('/management/v1/members', { headers })).status).toBe(403)
    },
  )

  it('a JWT for a service user with that token type, requested with an elliptic key', async () => {
    const who = { iss: 'jwt-robot', sub: 'jwt-robot' }
    const { json } = await request(
      assertion(who, { key: MACHINE_EC_KEY.privateKey, header: { alg: 'ES256' } }),
    )
    expect(await oauth.verify(json.access_token, 'at+jwt')).toMatchObject({ sub: 'jwt-robot' })
  })

  it.each([
    ['ahead', 30],
    ['behind', -30],
  ])('accepts an assertion of a signer whose clock is 30 s %s', async (_, ahead) => {
    // A signer that is behind signed it a moment ago, with an end that is past here.
    const expiresAt = now() + ahead
    const claims = { iat: expiresAt - 30, exp: ahead > 0 ? expiresAt + 60 : expiresAt }
    expect((await request(assertion(claims))).status).toBe(200)
  })

  it('an assertion may be used again, and its audience be the token endpoint', async () => {
    const value = await assertion({ aud: ['https://other.example.com', `${ISSUER}/oauth/v2/token`] })
    for (const attempt of ['first', 'second']) expect((await request(value)).status, attempt).toBe(200)
  })

  it('the tokens die with the user', async () => {
    const scope = 'openid urn:service:iam:org:project:id:portal:aud'
    const { json } = await request(assertion(), { scope })
    expect((await oauth.introspect(json.access_token)).json.active).toBe(true)
    await oauth.manage('PATCH', '/management/v1/users/robot', { state: 'inactive' })
    expect((await oauth.introspect(json.access_token)).json).toEqual({ active: false })
    await expect.poll(async () => (await request(assertion())).json.error).toBe('invalid_grant')
    await oauth.manage('PATCH', '/management/v1/users/robot', { state: 'active' })
    await expect.poll(async () => (await request(assertion())).status).toBe(200)
  })
})

describe('assertions that are refused [F-26]', () => {
  const own = generateKeyPairSync('rsa', { modulusLength: 2048 })

  it.each<[string, () => Promise<string>]>([
    ['nothing signed', async () => 'nonsense'],
    ['an unknown user', () => assertion({ iss: 'nobody', sub: 'nobody' })],
    ['a person', () => assertion({ iss: 'alice', sub: 'alice' })],
    ['another issuer than subject', () => assertion({ iss: 'jwt-robot' })],
    ['another audience', () => assertion({ aud: 'https://other.example.com' })],
    ['expired', () => assertion({ iat: now() - 120, exp: now() - 60 })],
    ['too long', () => assertion({ exp: now() + 3_700 })],
    ['issued in the future', () => assertion({ iat: now() + 90, exp: now() + 120 })],
    ['without iat', () => assertion({ iat: undefined as never })],
    ['without exp', () => assertion({ exp: undefined as never })],
    ['with an nbf that is text', () => assertion({ nbf: 'soon' as never })],
    ['with exp as text', () => assertion({ exp: String(now() + 60) as never })],
    ['followed by a line break', async () => `${await assertion()}\n`],
    ['with padding', async () => `${await assertion()}==`],
    ['an unknown key id', () => assertion({}, { header: { kid: 'k2' } })],
    ['another key', () => assertion({}, { key: own.privateKey })],
    [
      'unsigned',
      async () => {
        const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
        const claims = { iss: 'robot', sub: 'robot', aud: ISSUER, iat: now(), exp: now() + 60 }
        return `${part({ alg: 'none', kid: 'k1' })}.${part(claims)}.`
      },
    ],
  ])('%s: 400 invalid_grant', async (_, value) => {
    const answer = await request(value())
    expect([answer.status, answer.json.error]).toEqual([400, 'invalid_grant'])
  })

  it('token errors: no assertion is invalid_request, an unknown scope invalid_scope', async () => {
    expect((await request('')).json.error).toBe('invalid_request')
    expect((await request(assertion(), { scope: 'everything' })).json.error).toBe('invalid_scope')
  })
})
