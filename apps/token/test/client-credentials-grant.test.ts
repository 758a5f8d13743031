import { randomUUID } from 'node:crypto'
import { MACHINE_KEY, SECRET } from '@signet/testing/system/oauth-directory'
import {
  type Credentials,
  createOAuthEnvironment,
  ISSUER,
  OAUTH_SYSTEM,
  type OAuthEnvironment,
} from '@signet/testing/system/oauth-environment'
import { startSystem } from '@signet/testing/system/start-system'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let oauth: OAuthEnvironment
beforeAll(async () => {
  oauth = createOAuthEnvironment(await startSystem(OAUTH_SYSTEM))
}, 60_000)
afterAll(() => oauth?.stop())

const request = (from: Credentials, form: Record<string, string> = {}) =>
  oauth.token({ grant_type: 'client_credentials', ...form }, from)
const inBody = (clientId: string): Credentials => ({
  form: { client_id: clientId, client_secret: SECRET },
})

describe('token: client_credentials for an application', () => {
  it('returns exactly access_token, expires_in, scope and token_type, also with openid', async () => {
    const answer = await request({ basic: 'backend' }, { scope: 'openid profile offline_access' })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('pragma')).toBe('no-cache')
    expect(answer.json).toEqual({
      access_token: expect.stringMatching(/^sgat_/),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'openid profile',
    })
  })

  it('the application is its own subject; there is no user to ask about [F-29]', async () => {
    const { json } = await request({ basic: 'backend' })
    const { iat } = (await oauth.introspect(json.access_token)).json as { iat: number }
    expect((await oauth.introspect(json.access_token)).json).toEqual({
      active: true,
      iss: ISSUER,
      sub: 'backend',
      client_id: 'backend',
      aud: ['backend', 'portal'],
      scope: '',
      token_type: 'Bearer',
      jti: expect.any(String),
      iat,
      nbf: iat,
      exp: iat + 3600,
    })
    expect((await oauth.userinfo(json.access_token)).status).toBe(401)
    await expect(oauth.bearer(json.access_token)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
  })

  it('client_secret_post: credentials in the body; a JWT where the application wants one', async () => {
    const { json } = await request(inBody('backend-post'))
    expect(await oauth.verify(json.access_token, 'at+jwt')).toMatchObject({ sub: 'backend-post' })
    expect((await oauth.introspect(json.access_token)).json.active).toBe(true)
  })

  it('revocation: ends the token, and so does deactivating the application', async () => {
    const [one, other] = await Promise.all([request({ basic: 'backend' }), request({ basic: 'backend' })])
    await oauth.revoke(one.json.access_token, { basic: 'backend' })
    expect((await oauth.introspect(one.json.access_token)).json).toEqual({ active: false })
    expect((await oauth.introspect(other.json.access_token)).json.active).toBe(true)
  })
})

describe('token: client_credentials for a service user', () => {
  it.each<[string, Credentials]>([
    ['Basic', { basic: 'robot-client' }],
    ['the body', inBody('robot-client')],
  ])('authenticates by %s and acts as the user', async (_, from) => {
    const answer = await request(from, { scope: 'openid profile' })
    expect(Object.keys(answer.json).sort()).toEqual(['access_token', 'expires_in', 'scope', 'token_type'])
    expect((await oauth.introspect(answer.json.access_token, { basic: 'robot-client' })).json).toMatchObject({
      active: true,
      sub: 'robot',
      client_id: 'robot-client',
      aud: ['robot-client'],
      username: 'robot@acme.localhost',
      name: 'Robot',
    })
    expect((await oauth.userinfo(answer.json.access_token)).json).toEqual({
      sub: 'robot',
      name: 'Robot',
      preferred_username: 'robot@acme.localhost',
      updated_at: expect.any(Number),
    })
  })

  it('is a JWT where the service user wants one', async () => {
    const { json } = await request({ basic: 'jwt-robot' })
    expect(await oauth.verify(json.access_token, 'at+jwt')).toMatchObject({
      sub: 'jwt-robot',
      client_id: 'jwt-robot',
      aud: ['jwt-robot'],
    })
  })

  it('reserved scopes add projects and roles; the API takes it as a bearer', async () => {
    const scope = [
      'urn:service:iam:org:project:id:portal:aud',
      'urn:service:iam:org:project:id:signet:aud',
      'urn:service:iam:org:projects:roles',
    ].join(' ')
    const { json } = await request({ basic: 'robot-client' }, { scope })
    expect((await oauth.introspect(json.access_token)).json).toMatchObject({
      active: true,
      'urn:service:iam:org:project:roles': { reader: { acme: 'acme.localhost' } },
    })
    expect(await oauth.bearer(json.access_token)).toMatchObject({ userId: 'robot' })
  })

  it('is revoked when the user is deactivated', async () => {
    const { json } = await request({ basic: 'jwt-robot' })
    const aud = 'urn:service:iam:org:project:id:portal:aud'
    const opaque = await request({ basic: 'jwt-robot' }, { scope: aud })
    expect((await oauth.introspect(opaque.json.access_token)).json.active).toBe(true)
    expect(
      (await oauth.manage('PATCH', '/management/v1/users/jwt-robot', { state: 'inactive' })).status,
    ).toBe(200)
    expect((await oauth.introspect(json.access_token, { basic: 'api' })).json).toEqual({ active: false })
    expect((await oauth.introspect(opaque.json.access_token)).json).toEqual({ active: false })
    await expect.poll(async () => (await request({ basic: 'jwt-robot' })).status).toBe(401)
    await oauth.manage('PATCH', '/management/v1/users/jwt-robot', { state: 'active' })
  })
})

it('takes the assertion of an application with a registered key', async () => {
  const assertion = () =>
    new SignJWT({ jti: randomUUID() })
      .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
      .setIssuer('backend-keyed')
      .setSubject('backend-keyed')
      .setAudience(ISSUER)
      .setIssuedAt()
      .setExpirationTime('1m')
      .sign(MACHINE_KEY.privateKey)
  const form = {
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: await assertion(),
  }
  expect((await request({ form })).status).toBe(200)
})

describe('token errors of client_credentials', () => {
  it.each<[string, () => Promise<Credentials> | Credentials, string, number]>([
    ['an application without the grant', () => ({ basic: 'web' }), 'unauthorized_client', 400],
    ['a wrong secret', () => ({ basic: 'backend', secret: 'wrong' }), 'invalid_client', 401],
    ['a public application', () => ({ form: { client_id: 'backend-public' } }), 'invalid_client', 401],
  ])('%s', async (_, from, error, status) => {
    const answer = await request(await from())
    expect([answer.status, answer.json.error]).toEqual([status, error])
  })

  it('two ways of authentication at once [F-10]', async () => {
    const answer = await request({ basic: 'backend' }, { client_id: 'backend', client_secret: SECRET })
    expect([answer.status, answer.json.error]).toEqual([400, 'invalid_request'])
  })

  it.each([
    'unknown',
    'openid everything',
    'open"id',
    'urn:service:iam:org:project:id:nowhere:aud',
    'urn:service:iam:org:id:beta',
    'urn:service:iam:org:domain:primary:beta.localhost',
    'urn:service:iam:user:password',
  ])('scope %s is invalid_scope', async (scope) => {
    for (const basic of ['backend', 'robot-client']) {
      const answer = await request({ basic }, { scope })
      expect([answer.status, answer.json.error]).toEqual([400, 'invalid_scope'])
    }
  })

  it('the organization of the subject may be named', async () => {
    const scope = 'urn:service:iam:org:id:acme urn:service:iam:org:domain:primary:acme.localhost'
    for (const basic of ['backend', 'robot-client']) {
      expect((await request({ basic }, { scope })).json.scope).toBe(scope)
    }
  })
})
