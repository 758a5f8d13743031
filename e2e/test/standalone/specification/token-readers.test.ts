import { SECRET } from '@signet/testing/system/oauth-directory'
import { startSystem } from '@signet/testing/system/start-system'
import * as oidc from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { basic, connectProvider, PROVIDER_SYSTEM, type Provider } from '../provider.ts'

let provider: Provider
beforeAll(async () => {
  provider = await connectProvider(await startSystem(PROVIDER_SYSTEM))
}, 60_000)
afterAll(() => provider?.stop())

const [INTROSPECT, USERINFO, REVOKE] = ['/oauth/v2/introspect', '/oidc/v1/userinfo', '/oauth/v2/revoke']

const tokensOf = async (clientId = 'web', scope = 'openid profile email offline_access') =>
  (await provider.signIn({ clientId, scope })).tokens

const userinfo = (token: string) =>
  provider.system.fetch(USERINFO, { headers: { authorization: `Bearer ${token}` } })

describe('introspection', () => {
  it('takes a form by POST and returns JSON [introspect.form-and-json]', async () => {
    const { access_token } = await tokensOf()
    const answer = await provider.post(INTROSPECT, { token: access_token }, basic('api'))
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
    expect(answer.json.active).toBe(true)
    const query = `${INTROSPECT}?${new URLSearchParams({ token: access_token })}`
    expect((await provider.system.fetch(query, { headers: basic('api') })).status).toBe(405)
    expect(await provider.post(INTROSPECT, {}, basic('api'))).toMatchObject({
      status: 400,
      json: { error: 'invalid_request' },
    })
  })

  it.each(['web', 'jwt'])(
    'says the same of an opaque token and of a JWT: %s [introspect.token] [introspection-response.*]',
    async (clientId) => {
      const { access_token } = await tokensOf(clientId)
      const now = provider.now()
      const { iat = 0, exp, nbf, jti, ...rest } = await provider.introspect(access_token)
      expect(Math.abs(iat - now)).toBeLessThan(60)
      expect([exp, nbf]).toEqual([iat + 3600, iat])
      expect(rest).toMatchObject({
        active: true,
        aud: [clientId, 'portal'],
        client_id: clientId,
        iss: provider.issuer,
        scope: 'openid profile email offline_access',
        token_type: 'Bearer',
        sub: 'alice',
        username: 'alice@acme.localhost',
        given_name: 'Alice',
        email: 'alice@acme.localhost',
      })
      expect(rest).not.toHaveProperty('phone_number')
      const other = await provider.introspect((await tokensOf(clientId)).access_token)
      expect([typeof jti, jti === other.jti]).toEqual(['string', false])
    },
  )

  it('returns only active=false for tokens of other audiences, revoked tokens and other values [introspection-response.active]', async () => {
    const { access_token, refresh_token = '', id_token = '' } = await tokensOf()
    await expect(provider.introspect(access_token, 'elsewhere')).resolves.toEqual({ active: false })
    for (const token of [refresh_token, id_token, 'nonsense', `${access_token}A`]) {
      await expect(provider.introspect(token)).resolves.toEqual({ active: false })
    }
  })

  it('says that the client revoked a token [introspect.revoked] [revocation.inactive]', async () => {
    const { access_token } = await tokensOf()
    await oidc.tokenRevocation(await provider.client(), access_token)
    await expect(provider.introspect(access_token)).resolves.toEqual({ active: false })
  })

  it('401 invalid_client for a client that is not authenticated [introspect.invalid_client] [introspect.methods]', async () => {
    const { access_token } = await tokensOf()
    for (const [credentials, headers] of [
      [{}, basic('api', 'wrong')],
      [{}, {}],
      [{ client_id: 'api' }, {}],
      [{ client_id: 'api', client_secret: SECRET }, {}],
    ] as const) {
      const answer = await provider.post(INTROSPECT, { token: access_token, ...credentials }, headers)
      expect(answer).toMatchObject({ status: 401, json: { error: 'invalid_client' } })
    }
  })
})

describe('userinfo', () => {
  it('a stock client reads the claims of the granted scopes [userinfo.bearer] [userinfo.claims] [methods.userinfo]', async () => {
    const { access_token } = await tokensOf('web', 'openid email')
    const claims = await oidc.fetchUserInfo(await provider.client(), access_token, 'alice')
    expect(claims).toEqual({ sub: 'alice', email: 'alice@acme.localhost', email_verified: true })
  })

  it('the token of a service user that acts for itself is its own; a client is no user [userinfo.bearer]', async () => {
    const robot = await provider.client('robot', oidc.ClientSecretBasic(SECRET))
    const { access_token } = await oidc.clientCredentialsGrant(robot, { scope: 'openid' })
    expect((await userinfo(access_token)).json).toEqual({ sub: 'robot' })
    const machine = await provider.client('machine')
    const own = await oidc.clientCredentialsGrant(machine, { scope: 'openid' })
    expect((await userinfo(own.access_token)).status).toBe(401)
  })

  it('401 without a token, for an invalid, a revoked and an expired one [userinfo.unauthorized]', async () => {
    const { access_token, id_token = '' } = await tokensOf()
    expect((await provider.system.fetch(USERINFO)).status).toBe(401)
    expect((await userinfo(access_token)).status).toBe(200)
    const other = (await tokensOf()).access_token
    await oidc.tokenRevocation(await provider.client(), other)
    for (const token of ['nonsense', id_token, other]) {
      const refused = await userinfo(token)
      expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
        401,
        expect.stringContaining('error="invalid_token"'),
      ])
    }
    provider.system.clock.advance(3_700_000)
    expect((await userinfo(access_token)).status).toBe(401)
  })
})

describe('revocation', () => {
  it('takes a form by POST only [revoke.form]', async () => {
    const { access_token } = await tokensOf()
    const query = `${REVOKE}?${new URLSearchParams({ token: access_token })}`
    expect((await provider.system.fetch(query, { headers: basic() })).status).toBe(405)
    expect((await provider.introspect(access_token)).active).toBe(true)
  })

  it('revokes an access token alone: the others and the refresh token stay valid [revoke.token] [revocation.access-token-alone]', async () => {
    const { access_token, refresh_token = '' } = await tokensOf()
    const config = await provider.client()
    const second = await oidc.refreshTokenGrant(config, refresh_token)
    await oidc.tokenRevocation(config, access_token)
    expect((await provider.introspect(access_token)).active).toBe(false)
    expect((await provider.introspect(second.access_token)).active).toBe(true)
    await oidc.refreshTokenGrant(config, second.refresh_token ?? '')
  })

  it('a refresh token with every access token of it [revoke.token] [revocation.refresh-token-family]', async () => {
    const first = await tokensOf()
    const config = await provider.client()
    const second = await oidc.refreshTokenGrant(config, first.refresh_token ?? '')
    await oidc.tokenRevocation(config, second.refresh_token ?? '')
    for (const { access_token } of [first, second]) {
      expect((await provider.introspect(access_token)).active).toBe(false)
    }
  })
})

describe('key set', () => {
  it('has the key of every JWT, by its kid, and the client that looks again finds it [keys.public] [keys.kid]', async () => {
    const { id_token = '' } = await tokensOf()
    const { kid } = JSON.parse(Buffer.from(id_token.split('.')[0] ?? '', 'base64url').toString())
    const keys = async () =>
      (await provider.system.fetch('/oauth/v2/keys')).json.keys as readonly { kid: string }[]
    expect((await keys()).map((key) => key.kid)).toContain(kid)
  })
})
