import { REDIRECT_URI, SECRET } from '@signet/testing/system/oauth-directory'
import { startSystem } from '@signet/testing/system/start-system'
import { SignJWT } from 'jose'
import * as oidc from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { basic, connectProvider, type Parameters, PROVIDER_SYSTEM, type Provider } from '../provider.ts'
import { KEY, SECOND_REDIRECT_URI } from '../provider-directory.ts'

let provider: Provider
beforeAll(async () => {
  provider = await connectProvider(await startSystem(PROVIDER_SYSTEM))
}, 60_000)
afterAll(() => provider?.stop())

const TOKEN = '/oauth/v2/token'
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const VERIFIER = 'v'.repeat(64)

async function codeFor(clientId = 'web', parameters: Parameters = {}): Promise<string> {
  const challenge = {
    code_challenge: await oidc.calculatePKCECodeChallenge(VERIFIER),
    code_challenge_method: 'S256',
  }
  const response = await provider.authorize({ client_id: clientId, ...challenge, ...parameters })
  return response.parameters.get('code') ?? ''
}

const redeem = (code: string, change: Parameters = {}, headers: Parameters = basic()) =>
  provider.post(
    TOKEN,
    {
      grant_type: 'authorization_code',
      code,
      redirect_uri: REDIRECT_URI,
      code_verifier: VERIFIER,
      ...change,
    },
    headers,
  )

async function robotAssertion(claims: object = {}): Promise<string> {
  const now = provider.now()
  return new SignJWT({ iss: 'robot', sub: 'robot', aud: provider.issuer, iat: now, exp: now + 60, ...claims })
    .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
    .sign(KEY.privateKey)
}

const OPAQUE = expect.stringMatching(/^sgat_[\w.-]+$/)
const JWT = expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/)
const ANSWER = { access_token: OPAQUE, token_type: 'Bearer', expires_in: 3600, scope: 'openid' }

describe('grant_type=authorization_code', () => {
  it('returns exactly these members [token.code.grant_type] [token.code.code] [token-response.id_token] [token.code.response] [token-response.access_token] [token-response.token_type]', async () => {
    const { status, json } = await redeem(await codeFor())
    expect(status).toBe(200)
    expect(json).toEqual({ ...ANSWER, id_token: JWT })
  })

  it('returns a refresh token with the scope offline_access [token.code.refresh_token] [token-response.refresh_token] [token-response.scope]', async () => {
    const { json } = await redeem(await codeFor('web', { scope: 'openid offline_access unheard-of' }))
    const refreshable = { scope: 'openid offline_access', refresh_token: expect.stringMatching(/^sgrt_/) }
    expect(json).toEqual({ ...ANSWER, ...refreshable, id_token: JWT })
  })

  it('a code that was never issued, or another than the issued one, is invalid_grant [token.code.code] [token.error.invalid_grant]', async () => {
    const code = await codeFor()
    const changed = `${code.slice(0, -2)}${code.at(-2) === 'A' ? 'B' : 'A'}${code.at(-1)}`
    for (const wrong of ['nonsense', changed]) {
      expect(await redeem(wrong)).toMatchObject({ status: 400, json: { error: 'invalid_grant' } })
    }
    expect((await redeem(code)).status).toBe(200)
  })

  it('redirect_uri is that of the request, even where another one is registered [token.code.redirect_uri]', async () => {
    const code = await codeFor()
    const other = await redeem(code, { redirect_uri: SECOND_REDIRECT_URI })
    expect(other).toMatchObject({ status: 400, json: { error: 'invalid_grant' } })
    const missing = await redeem(code, { redirect_uri: '' })
    expect(missing).toMatchObject({ status: 400, json: { error: 'invalid_request' } })
    expect((await redeem(code)).status).toBe(200)
  })

  it('code_verifier must match the challenge, for the public client too [token.code.code_verifier] [token.method.none]', async () => {
    const publicly = { client_id: 'spa' }
    const code = await codeFor('spa')
    const wrong = await redeem(code, { ...publicly, code_verifier: 'w'.repeat(64) }, {})
    expect(wrong).toMatchObject({ status: 400, json: { error: 'invalid_grant' } })
    const missing = await redeem(code, { ...publicly, code_verifier: '' }, {})
    expect(missing).toMatchObject({ status: 400, json: { error: 'invalid_request' } })
    expect((await redeem(code, publicly, {})).status).toBe(200)
  })

  it('a JWT where the application has them, and it expires when it says [token-response.access_token] [token-response.expires_in]', async () => {
    const { json } = await redeem(await codeFor('jwt'), {}, basic('jwt'))
    expect(json).toEqual({ ...ANSWER, access_token: JWT, id_token: JWT })
    expect((await provider.introspect(String(json.access_token))).active).toBe(true)
    provider.system.clock.advance(3_590_000)
    expect((await provider.introspect(String(json.access_token))).active).toBe(true)
    provider.system.clock.advance(20_000)
    expect((await provider.introspect(String(json.access_token))).active).toBe(false)
  })
})

describe('grant_type=refresh_token', () => {
  const tokens = async (clientId = 'web') =>
    (await provider.signIn({ clientId, scope: 'openid email offline_access' })).tokens

  it('returns exactly these members, and a new refresh token [token.refresh.grant_type] [token.refresh.refresh_token] [token.refresh.response]', async () => {
    const { refresh_token = '' } = await tokens()
    const { json } = await provider.post(TOKEN, { grant_type: 'refresh_token', refresh_token })
    const successor = { refresh_token: expect.stringMatching(/^sgrt_/), scope: 'openid email offline_access' }
    expect(json).toEqual({ ...ANSWER, ...successor, id_token: JWT })
    expect(json.refresh_token).not.toBe(refresh_token)
    const next = { grant_type: 'refresh_token', refresh_token: String(json.refresh_token) }
    expect((await provider.post(TOKEN, next)).status).toBe(200)
    const old = await provider.post(TOKEN, { grant_type: 'refresh_token', refresh_token })
    expect(old).toMatchObject({ status: 400, json: { error: 'invalid_grant' } })
  })

  it('scope may be fewer and never more; left out it is the original [token.refresh.scope] [token.error.invalid_scope]', async () => {
    const { refresh_token = '' } = await tokens()
    const config = await provider.client()
    const fewer = await oidc.refreshTokenGrant(config, refresh_token, { scope: 'openid' })
    expect(fewer.scope).toBe('openid')
    const again = await oidc.refreshTokenGrant(config, fewer.refresh_token ?? '')
    expect(again.scope).toBe('openid email offline_access')
    const more = { scope: 'openid email phone' }
    await expect(oidc.refreshTokenGrant(config, again.refresh_token ?? '', more)).rejects.toMatchObject({
      error: 'invalid_scope',
      status: 400,
    })
  })

  it.each(['web', 'post', 'keyed', 'spa'])(
    '%s refreshes with its method [token.refresh.methods]',
    async (clientId) => {
      const { refresh_token = '' } = await tokens(clientId)
      const answer = await oidc.refreshTokenGrant(await provider.client(clientId), refresh_token)
      expect(answer.access_token).toMatch(/^sgat_/)
    },
  )
})

describe('grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer', () => {
  it('returns exactly these members to the signer, without a client [token.jwt-bearer.grant_type] [token.jwt-bearer.assertion] [token.jwt-bearer.no-client] [token.jwt-bearer.response] [methods.jwt-bearer]', async () => {
    const form = { grant_type: JWT_BEARER, assertion: await robotAssertion(), scope: 'openid' }
    const { json } = await provider.post(TOKEN, form, {})
    expect(json).toEqual({ ...ANSWER, id_token: JWT })
    expect(await provider.introspect(String(json.access_token), 'web')).toMatchObject({ active: false })
    const userinfo = await oidc.fetchUserInfo(await provider.client(), String(json.access_token), 'robot')
    expect(userinfo.sub).toBe('robot')
  })

  it('scope is split at spaces [token.jwt-bearer.scope]', async () => {
    const form = { grant_type: JWT_BEARER, assertion: await robotAssertion() }
    const two = await provider.post(TOKEN, { ...form, scope: 'openid profile' }, {})
    expect(two.json.scope).toBe('openid profile')
    const unknown = await provider.post(TOKEN, { ...form, scope: 'openid unheard-of' }, {})
    expect(unknown).toMatchObject({ status: 400, json: { error: 'invalid_scope' } })
  })

  it('an assertion of an unknown user, for another user, or for another service is invalid_grant [token.jwt-bearer.assertion] [token.error.invalid_grant]', async () => {
    for (const claims of [
      { iss: 'nobody', sub: 'nobody' },
      { sub: 'admin' },
      { aud: 'https://other.example' },
      { exp: 1 },
    ]) {
      const form = { grant_type: JWT_BEARER, assertion: await robotAssertion(claims), scope: 'openid' }
      expect(await provider.post(TOKEN, form, {})).toMatchObject({
        status: 400,
        json: { error: 'invalid_grant' },
      })
    }
  })
})

describe('grant_type=client_credentials', () => {
  it('a stock client gets exactly these members, and no ID token [token.client-credentials.grant_type] [token.client-credentials.response] [token-response.id_token]', async () => {
    const answer = await provider.post(
      TOKEN,
      { grant_type: 'client_credentials', scope: 'openid' },
      basic('robot', SECRET),
    )
    expect(answer.json).toEqual(ANSWER)
  })

  it.each([
    ['Basic', () => oidc.ClientSecretBasic(SECRET)],
    ['the body', () => oidc.ClientSecretPost(SECRET)],
  ])(
    'by %s; scope is split at spaces [token.client-credentials.methods] [token.client-credentials.scope]',
    async (_how, auth) => {
      const config = await provider.client('robot', auth())
      const answer = await oidc.clientCredentialsGrant(config, { scope: 'openid profile' })
      expect(answer.scope).toBe('openid profile')
      const wrong = await provider.client('robot', oidc.ClientSecretBasic('wrong'))
      await expect(oidc.clientCredentialsGrant(wrong)).rejects.toMatchObject({ status: 401 })
    },
  )
})
