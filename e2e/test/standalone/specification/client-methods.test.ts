import { REDIRECT_URI, SECRET } from '@signet/testing/system/oauth-directory'
import { startSystem } from '@signet/testing/system/start-system'
import type { Answer } from '@signet/testing/system/test-system'
import * as oidc from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { basic, connectProvider, type Parameters, PROVIDER_SYSTEM, type Provider } from '../provider.ts'

let provider: Provider
beforeAll(async () => {
  provider = await connectProvider(await startSystem(PROVIDER_SYSTEM))
}, 60_000)
afterAll(() => provider?.stop())

const [TOKEN, INTROSPECT, REVOKE] = ['/oauth/v2/token', '/oauth/v2/introspect', '/oauth/v2/revoke']

/** The credentials of a request by the client's method, beside the parameters of the endpoint. */
const METHODS: Readonly<
  Record<string, (path: string) => Promise<readonly [form: Parameters, headers: Parameters]>>
> = {
  web: async () => [{}, basic()],
  post: async () => [{ client_id: 'post', client_secret: SECRET }, {}],
  keyed: async (path) => [await provider.assertion({}, path), {}],
  spa: async () => [{ client_id: 'spa' }, {}],
}

async function call(clientId: string, path: string, form: Parameters): Promise<Answer> {
  const [credentials = {}, headers = {}] = (await METHODS[clientId]?.(path)) ?? []
  return provider.post(path, { ...form, ...credentials }, headers)
}

const signIn = async (clientId: string) =>
  (await provider.signIn({ clientId, scope: 'openid offline_access' })).tokens

/** The responses of a code exchange, an introspection and a revocation to a client with its own method. */
async function everywhere(clientId: string) {
  const code = { grant_type: 'authorization_code', redirect_uri: REDIRECT_URI, code_verifier: 'v'.repeat(43) }
  const challenge = {
    code_challenge: await oidc.calculatePKCECodeChallenge('v'.repeat(43)),
    code_challenge_method: 'S256',
  }
  const { parameters } = await provider.authorize({ client_id: clientId, ...challenge })
  const token = await call(clientId, TOKEN, { ...code, code: parameters.get('code') ?? '' })
  const access_token = String(token.json.access_token)
  const introspected = await call(clientId, INTROSPECT, { token: access_token })
  const revoked = await call(clientId, REVOKE, { token: access_token })
  return { token, introspected, revoked, after: await provider.introspect(access_token) }
}

describe('authentication: which method where', () => {
  it.each(['web', 'keyed'])(
    '%s: token, introspection and revocation [methods.client_secret_basic] [methods.private_key_jwt] [token.method.client_secret_basic] [token.method.private_key_jwt] [introspect.methods] [revoke.methods]',
    async (clientId) => {
      const { token, introspected, revoked, after } = await everywhere(clientId)
      expect([token.status, introspected.json.active, revoked.status]).toEqual([200, true, 200])
      expect(after.active).toBe(false)
    },
  )

  it.each(['post', 'spa'])(
    '%s: token and revocation, not introspection [methods.client_secret_post] [methods.none] [token.method.client_secret_post] [token.method.none] [introspect.methods] [introspect.invalid_client] [revoke.methods]',
    async (clientId) => {
      const { token, introspected, revoked, after } = await everywhere(clientId)
      expect([token.status, revoked.status]).toEqual([200, 200])
      expect(introspected).toMatchObject({ status: 401, json: { error: 'invalid_client' } })
      expect(after.active).toBe(false)
    },
  )

  it('private_key_jwt: refuses a key that is not registered [token.method.private_key_jwt]', async () => {
    const { privateKey } = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, [
      'sign',
    ])
    const stranger = await provider.client('keyed', oidc.PrivateKeyJwt({ key: privateKey, kid: 'k1' }))
    const { refresh_token = '' } = await signIn('keyed')
    await expect(oidc.refreshTokenGrant(stranger, refresh_token)).rejects.toMatchObject({
      error: 'invalid_client',
    })
  })
})

describe('token endpoint', () => {
  it('takes a form and returns JSON that is not stored [token.form-and-json]', async () => {
    const { refresh_token = '' } = await signIn('web')
    const form = { grant_type: 'refresh_token', refresh_token }
    const asJson = await provider.system.fetch(TOKEN, {
      method: 'POST',
      headers: { ...basic(), 'content-type': 'application/json' },
      body: JSON.stringify(form),
    })
    expect(asJson).toMatchObject({ status: 400, json: { error: 'invalid_request' } })
    expect(
      (await provider.system.fetch(`${TOKEN}?${new URLSearchParams(form)}`, { headers: basic() })).status,
    ).toBe(405)
    const answer = await provider.post(TOKEN, form)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })

  it('requires a supported grant_type [token.grant_type] [token.error.unsupported_grant_type] [token.error.invalid_request]', async () => {
    expect((await provider.post(TOKEN, {})).json.error).toBe('invalid_request')
    for (const grant_type of ['password', 'implicit', 'urn:openid:params:grant-type:ciba', 'Refresh_Token']) {
      const answer = await provider.post(TOKEN, { grant_type })
      expect(answer).toMatchObject({ status: 400, json: { error: 'unsupported_grant_type' } })
    }
  })
})

describe('token endpoint errors', () => {
  it.each<[string, string]>([
    ['a repeated parameter', 'grant_type=refresh_token&refresh_token=a&refresh_token=a'],
    ['no code', 'grant_type=authorization_code&redirect_uri=https://app.example.com/callback'],
    ['no refresh token', 'grant_type=refresh_token'],
    [
      'two ways of authentication',
      `grant_type=refresh_token&refresh_token=a&client_id=web&client_secret=${SECRET}`,
    ],
    [
      'an assertion of unknown type',
      'grant_type=refresh_token&refresh_token=a&client_assertion=a&client_assertion_type=b',
    ],
    ['broken encoding', 'grant_type=refresh_token&refresh_token=%zz'],
  ])('invalid_request: %s [token.error.invalid_request]', async (_what, form) => {
    const answer = await provider.system.fetch(TOKEN, {
      method: 'POST',
      headers: { ...basic(), 'content-type': 'application/x-www-form-urlencoded' },
      body: form,
    })
    expect(answer).toMatchObject({ status: 400, json: { error: 'invalid_request' } })
    expect(answer.json.error_description).toBeTypeOf('string')
  })

  it('unauthorized_client: a client without the grant [token.error.unauthorized_client]', async () => {
    const answer = await provider.post(TOKEN, { grant_type: 'client_credentials' })
    expect(answer).toMatchObject({ status: 400, json: { error: 'unauthorized_client' } })
  })

  it('invalid_grant: revoked, of another client, for another redirect URI [token.error.invalid_grant]', async () => {
    const { refresh_token = '' } = await signIn('web')
    const form = { grant_type: 'refresh_token', refresh_token }
    const invalid = { status: 400, json: { error: 'invalid_grant' } }
    expect(await provider.post(TOKEN, form, basic('other'))).toMatchObject(invalid)
    expect((await provider.post(REVOKE, { token: refresh_token })).status).toBe(200)
    expect(await provider.post(TOKEN, form)).toMatchObject(invalid)
  })

  it.each<[string, Parameters, Parameters]>([
    ['an unknown client', {}, basic('nobody')],
    ['a wrong secret', {}, basic('web', 'wrong')],
    ['no authentication', { client_id: 'web' }, {}],
    ['nothing at all', {}, {}],
    ['another method than is registered', { client_id: 'web', client_secret: SECRET }, {}],
  ])('invalid_client: %s is 401 [token.error.invalid_client]', async (_what, credentials, headers) => {
    const form = { grant_type: 'refresh_token', refresh_token: 'a', ...credentials }
    const answer = await provider.post(TOKEN, form, headers)
    expect(answer).toMatchObject({ status: 401, json: { error: 'invalid_client' } })
    expect(answer.headers.has('www-authenticate')).toBe(headers.authorization !== undefined)
  })

  it('server_error: 500 without a word about the cause [token.error.server_error]', async () => {
    const { refresh_token = '' } = await signIn('web')
    const rename = (from: string, to: string) =>
      provider.system.database.query({ name: '', text: `ALTER TABLE grants.${from} RENAME TO ${to}` })
    await rename('authorization_grant', 'mislaid')
    try {
      const answer = await provider.post(TOKEN, { grant_type: 'refresh_token', refresh_token })
      expect(answer.status).toBe(500)
      expect(answer.json).toEqual({
        error: 'server_error',
        error_description: 'The server met an unexpected condition',
      })
    } finally {
      await rename('mislaid', 'authorization_grant')
    }
    expect((await provider.post(TOKEN, { grant_type: 'refresh_token', refresh_token })).status).toBe(200)
  })
})
