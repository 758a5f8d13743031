// RFC 9449 from end to end: openid-client as an independent client, raw proofs for what it does not send.

import { createRedis } from '@signet/platform/redis/client'
import { createProofKey, type ProofKey } from '@signet/testing/dpop-proof'
import { createRunningClock } from '@signet/testing/fake-clock'
import { oauthDirectory, REDIRECT_URI, ROBOT_TOKEN } from '@signet/testing/system/oauth-directory'
import { createOAuthEnvironments, type OAuthEnvironment } from '@signet/testing/system/oauth-environment'
import { startSystem } from '@signet/testing/system/start-system'
import { PASSWORD } from '@signet/testing/system/test-directory'
import type { Answer } from '@signet/testing/system/test-system'
import { decodeJwt } from 'jose'
import * as oidc from 'openid-client'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { connectProvider, type Provider } from './provider.ts'

const API = 'openid urn:service:iam:org:project:id:signet:aud'
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token'
const PUBLIC = { form: { client_id: 'exchanger-public' } } as const
const FAMILY = { clientId: 'exchanger-public', scope: 'openid offline_access' } as const

const clock = createRunningClock()
const directory = oauthDirectory()
const document = {
  ...directory,
  features: { oidcTokenExchange: true },
  organizations: directory.organizations?.map((organization) => ({
    ...organization,
    users: organization.users?.map((user) => ({ ...user, password: PASSWORD })),
  })),
}
let provider: Provider
let oauth: OAuthEnvironment
let other: OAuthEnvironment
let key: ProofKey
let otherKey: ProofKey
beforeAll(async () => {
  const system = await startSystem({ mode: 'in-process', document, replicas: 2, clock })
  provider = await connectProvider(system)
  ;[oauth, other] = createOAuthEnvironments(system) as [OAuthEnvironment, OAuthEnvironment]
  key = await createProofKey(clock.now)
  otherKey = await createProofKey(clock.now)
}, 60_000)
afterAll(() => provider?.stop())

const proofAt = (path: string, by = key, claims = {}, method = 'POST', accessToken?: unknown) =>
  by.proof(
    {
      method,
      url: `${provider.issuer}${path}`,
      ...(accessToken !== undefined && { accessToken: String(accessToken) }),
    },
    claims,
  )

type From = Parameters<OAuthEnvironment['post']>[2]

/** POSTs to the token endpoint with a proof. */
async function token(
  form: Record<string, string>,
  from: From = PUBLIC,
  proof?: string,
  at: OAuthEnvironment = oauth,
): Promise<Answer> {
  const dpop = proof ?? (await proofAt('/oauth/v2/token'))
  return at.post('/oauth/v2/token', form, from, dpop === '' ? {} : { dpop })
}

async function redeem(session: Parameters<OAuthEnvironment['code']>[0], from?: From, proof?: string) {
  const code = await oauth.code(session)
  return token({ grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI }, from, proof)
}

const refresh = (refreshToken: unknown, proof?: string, from: From = PUBLIC) =>
  token({ grant_type: 'refresh_token', refresh_token: String(refreshToken) }, from, proof)

/** GETs a resource with a token by the scheme DPoP. */
async function resource(path: string, accessToken: unknown, by = key, claims = {}): Promise<Answer> {
  const dpop = await proofAt(path.split('?')[0] ?? '', by, claims, 'GET', accessToken)
  return oauth.call(path, { headers: { authorization: `DPoP ${String(accessToken)}`, dpop } })
}

const challengeOf = ({ headers }: Answer) => headers.get('www-authenticate') ?? ''
const refusedWith = (status: number, error: string) => ({ status, json: { error } })

async function publicClient() {
  const client = await provider.client('exchanger-public', oidc.None())
  const handle = oidc.getDPoPHandle(client, await oidc.randomDPoPKeyPair('ES256'))
  return { client, options: { DPoP: handle }, jkt: await handle.calculateThumbprint() }
}

async function signIn({ client, options, jkt }: Awaited<ReturnType<typeof publicClient>>) {
  const verifier = oidc.randomPKCECodeVerifier()
  const response = await provider.authorize({
    client_id: 'exchanger-public',
    scope: 'openid email offline_access',
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    dpop_jkt: jkt,
  })
  const checks = { pkceCodeVerifier: verifier, idTokenExpected: true }
  return oidc.authorizationCodeGrant(client, response.received(), checks, undefined, options)
}

const flow = async () => {
  const party = await publicClient()
  const tokens = await signIn(party)
  expect(tokens.token_type).toBe('dpop')
  const introspected = await provider.introspect(tokens.access_token)
  expect(introspected).toMatchObject({ active: true, token_type: 'DPoP', cnf: { jkt: party.jkt } })
  const { client, options } = party
  const userinfo = () => oidc.fetchUserInfo(client, tokens.access_token, 'alice', options)
  expect(await userinfo()).toMatchObject({ email: 'alice@acme.localhost' })
  const refreshed = await oidc.refreshTokenGrant(client, tokens.refresh_token ?? '', undefined, options)
  expect(refreshed.token_type).toBe('dpop')
  await oidc.tokenRevocation(client, refreshed.refresh_token ?? '')
  expect(await provider.introspect(refreshed.access_token)).toEqual({ active: false })
}

describe('openid-client with DPoP', () => {
  it('signs in with dpop_jkt, reads userinfo, refreshes and revokes', flow)

  it('does the same where a nonce is required', async () => {
    await requireNonce(true)
    await flow()
    await requireNonce(false)
  })
})

async function requireNonce(requireDpopNonce: boolean): Promise<void> {
  expect((await oauth.manage('PATCH', '/v2/policies/security', { requireDpopNonce })).status).toBe(200)
  const form = { grant_type: 'client_credentials' }
  for (const at of [oauth, other]) {
    await expect
      .poll(async () => (await token(form, { basic: 'backend' }, undefined, at)).status)
      .toBe(requireDpopNonce ? 400 : 200)
  }
}

describe('the token endpoint', () => {
  it('counts one of many uses of a proof at two replicas', async () => {
    const proof = await proofAt('/oauth/v2/token')
    const form = { grant_type: 'client_credentials' }
    const uses = Array.from({ length: 10 }, (_, n) =>
      token(form, { basic: 'backend' }, proof, n % 2 === 0 ? oauth : other),
    )
    const answers = await Promise.all(uses)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const refused = answers.filter(({ status }) => status !== 200)
    for (const answer of refused) expect(answer).toMatchObject(refusedWith(400, 'invalid_dpop_proof'))
  })

  it('binds the access tokens of every grant, opaque and JWT', async () => {
    const from = { basic: 'exchanger' }
    const first = await redeem({ clientId: 'jwt' }, { basic: 'jwt' })
    expect(decodeJwt(String(first.json.access_token)).cnf).toEqual({ jkt: key.jkt })
    const second = await redeem({ clientId: 'exchanger', scope: 'openid offline_access' }, from)
    const answers = [
      first,
      second,
      await refresh(second.json.refresh_token, undefined, from),
      await token({ grant_type: 'client_credentials' }, { basic: 'backend' }),
      await token({ grant_type: 'client_credentials', scope: 'openid' }, { basic: 'robot-client' }),
      await token(exchangeOf(second.json.access_token), from),
    ]
    for (const [index, { json }] of answers.entries()) expect(json.token_type, `answer ${index}`).toBe('DPoP')
    const introspected = await provider.introspect(String(first.json.access_token))
    expect(introspected).toMatchObject({ token_type: 'DPoP', cnf: { jkt: key.jkt } })
  })

  it('leaves tokens without a proof as they were', async () => {
    const { json } = await oauth.tokens()
    expect(json.token_type).toBe('Bearer')
    const introspected = (await oauth.introspect(json.access_token)).json
    expect(introspected.token_type).toBe('Bearer')
    expect(introspected).not.toHaveProperty('cnf')
  })

  it('refuses a code of dpop_jkt without that key, and redeems it with it afterwards', async () => {
    const code = await oauth.code({ ...FAMILY, dpopJkt: key.jkt })
    const form = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI }
    for (const proof of ['', await proofAt('/oauth/v2/token', otherKey)]) {
      expect(await token(form, PUBLIC, proof)).toMatchObject(refusedWith(400, 'invalid_grant'))
    }
    expect((await token(form)).json.token_type).toBe('DPoP')
  })

  it('binds the code of a pushed request to the key of its proof, and refuses another dpop_jkt [fapi.server.code-binding]', async () => {
    const push = async (more: Record<string, string> = {}) =>
      oauth.post(
        '/oauth/v2/par',
        { response_type: 'code', redirect_uri: REDIRECT_URI, scope: 'openid', ...more },
        { basic: 'web' },
        { dpop: await proofAt('/oauth/v2/par') },
      )
    expect(await push({ dpop_jkt: otherKey.jkt })).toMatchObject(refusedWith(400, 'invalid_dpop_proof'))
    const pushed = await push({ dpop_jkt: key.jkt })
    expect(pushed.status).toBe(201)
    const { request_uri } = (await push()).json
    const response = await provider.authorize({
      ...{ redirect_uri: '', response_type: '', scope: '' },
      request_uri: String(request_uri),
    })
    const code = String(response.parameters.get('code'))
    const form = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI }
    const from = { basic: 'web' }
    const other = await proofAt('/oauth/v2/token', otherKey)
    expect(await token(form, from, other)).toMatchObject(refusedWith(400, 'invalid_grant'))
    expect((await token(form, from)).json.token_type).toBe('DPoP')
  })

  it('refuses dpop_jkt that is no thumbprint', async () => {
    const { parameters } = await provider.authorize({ dpop_jkt: 'short' })
    expect(parameters.get('error')).toBe('invalid_request')
    expect(parameters.get('error_description')).toContain('dpop_jkt')
  })

  it('binds the refresh tokens of a public client, and a stolen one neither works nor ends the family', async () => {
    const { json } = await redeem(FAMILY)
    for (const proof of ['', await proofAt('/oauth/v2/token', otherKey)]) {
      expect(await refresh(json.refresh_token, proof)).toMatchObject(refusedWith(400, 'invalid_grant'))
    }
    const next = await refresh(json.refresh_token)
    expect(next.json.token_type).toBe('DPoP')
    clock.advance(700_000)
    expect(await refresh(json.refresh_token, '')).toMatchObject(refusedWith(400, 'invalid_grant'))
    const last = await refresh(next.json.refresh_token)
    expect(last.status).toBe(200)
    // With the key it is reuse (RFC 9700 section 4.14).
    clock.advance(700_000)
    expect((await refresh(json.refresh_token)).status).toBe(400)
    expect((await refresh(last.json.refresh_token)).status).toBe(400)
  })

  it('binds an unbound family of a public client at its first refresh with a proof', async () => {
    const { json } = await redeem(FAMILY, PUBLIC, '')
    expect(json.token_type).toBe('Bearer')
    const bound = await refresh(json.refresh_token)
    expect(bound.json.token_type).toBe('DPoP')
    expect((await refresh(bound.json.refresh_token, '')).status).toBe(400)
    expect((await refresh(bound.json.refresh_token)).status).toBe(200)
  })

  it('gives a family to the key that rotates it, of two keys at once', async () => {
    const { json } = await redeem(FAMILY, PUBLIC, '')
    const proofs = [await proofAt('/oauth/v2/token'), await proofAt('/oauth/v2/token', otherKey)]
    const answers = await Promise.all(
      proofs.map((proof, n) =>
        token(
          { grant_type: 'refresh_token', refresh_token: String(json.refresh_token) },
          PUBLIC,
          proof,
          n === 0 ? oauth : other,
        ),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
  })

  it('does not bind the refresh tokens of a client that authenticates', async () => {
    const { json } = await redeem({ scope: 'openid offline_access' }, { basic: 'web' })
    const next = await refresh(json.refresh_token, await proofAt('/oauth/v2/token', otherKey), {
      basic: 'web',
    })
    expect(next.json.token_type).toBe('DPoP')
    expect((await refresh(next.json.refresh_token, '', { basic: 'web' })).json.token_type).toBe('Bearer')
  })

  it('exchanges a bound token only with a proof of its key', async () => {
    const from = { basic: 'exchanger' }
    const { json } = await redeem({ clientId: 'exchanger' }, from)
    const form = exchangeOf(json.access_token)
    for (const proof of ['', await proofAt('/oauth/v2/token', otherKey)]) {
      expect(await token(form, from, proof)).toMatchObject(refusedWith(400, 'invalid_request'))
    }
    const answer = await token(form, from)
    expect(answer.json.token_type).toBe('DPoP')
  })

  it('refuses an application with dpopBoundAccessTokens without a proof, at both endpoints', async () => {
    const from = { basic: 'bound' }
    const form = { grant_type: 'client_credentials' }
    expect(await token(form, from, '')).toMatchObject(refusedWith(400, 'invalid_dpop_proof'))
    expect((await token(form, from)).json.token_type).toBe('DPoP')
    const { parameters } = await provider.authorize({
      client_id: 'bound',
      response_type: 'id_token token',
      nonce: 'n',
    })
    expect(parameters.get('error')).toBe('unauthorized_client')
    const idToken = await provider.authorize({ client_id: 'bound', response_type: 'id_token', nonce: 'n' })
    expect(idToken.parameters.has('id_token')).toBe(true)
  })

  it('refuses two headers, no JWT and a proof of another endpoint', async () => {
    const form = { grant_type: 'client_credentials' }
    const two = `${await proofAt('/oauth/v2/token')}, ${await proofAt('/oauth/v2/token')}`
    for (const proof of [two, 'x', await proofAt('/oidc/v1/userinfo')]) {
      expect(await token(form, { basic: 'backend' }, proof)).toMatchObject(
        refusedWith(400, 'invalid_dpop_proof'),
      )
    }
  })

  it('lets pages send proofs and read nonces', async () => {
    const origin = 'https://app.example.com'
    const preflight = await oauth.call('/oauth/v2/token', { method: 'OPTIONS', headers: { origin } })
    expect(preflight.headers.get('access-control-allow-headers')).toContain('DPoP')
    expect(preflight.headers.get('access-control-expose-headers')).toContain('DPoP-Nonce')
  })
})

const exchangeOf = (subject: unknown) => ({
  grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
  subject_token: String(subject),
  subject_token_type: ACCESS_TOKEN,
})

/** The way of a resource and its errors, which are those of its API. */
const RESOURCES = [
  ['userinfo', '/oidc/v1/userinfo', 'openid'],
  ['the management API', '/management/v1/members?limit=1', API],
  ['the migration API', '/admin/v1/jobs/none', API],
  ['the keys API', '/management/v1/keys', API],
] as const

describe.each(RESOURCES)('%s', (_, path, scope) => {
  let bound: unknown
  let unbound: unknown
  const isThrough = ({ status }: Answer) => status === 200 || status === 404

  beforeAll(async () => {
    await oauth.manage('PATCH', '/v2/policies/security', { iamRequiresMfa: false })
  })
  beforeEach(async () => {
    const session = { clientId: 'console', userId: 'owner', scope }
    bound = (await redeem(session, { basic: 'console' })).json.access_token
    unbound = (await oauth.tokens(session)).json.access_token
  })

  const asBearer = (accessToken: unknown) =>
    oauth.call(path, { headers: { authorization: `Bearer ${String(accessToken)}` } })

  it('takes a bound token with its proof, and every other one as Bearer', async () => {
    expect(isThrough(await resource(path, bound))).toBe(true)
    expect(isThrough(await asBearer(unbound))).toBe(true)
  })

  it('refuses a bound token as Bearer, another one as DPoP, and a proof of another key', async () => {
    const refused = [
      await asBearer(bound),
      await resource(path, unbound),
      await resource(path, ROBOT_TOKEN),
      await resource(path, bound, otherKey),
    ]
    for (const answer of refused) {
      expect(answer.status).toBe(401)
      expect(challengeOf(answer)).toContain('error="invalid_token"')
    }
  })

  it('refuses a proof without ath, of another token, method or path, a used one, and none', async () => {
    const bare = path.split('?')[0] ?? ''
    const used = await proofAt(bare, key, {}, 'GET', bound)
    const call = (dpop: string | undefined) =>
      oauth.call(path, {
        headers: { authorization: `DPoP ${String(bound)}`, ...(dpop !== undefined && { dpop }) },
      })
    expect(isThrough(await call(used))).toBe(true)
    for (const proof of [
      used,
      undefined,
      await proofAt(bare, key, {}, 'GET'),
      await proofAt(bare, key, {}, 'GET', unbound),
      await proofAt(bare, key, {}, 'POST', bound),
      await proofAt(`${bare}/x`, key, {}, 'GET', bound),
    ]) {
      const answer = await call(proof)
      expect(answer.status).toBe(401)
      expect(challengeOf(answer)).toMatch(/^DPoP .*error="invalid_dpop_proof".*algs="ES256 /)
    }
  })

  it('sends the nonce that it requires, which counts at each replica', async () => {
    await requireNonce(true)
    const refused = await resource(path, await boundWithNonce(scope))
    expect(refused.status).toBe(401)
    expect(challengeOf(refused)).toMatch(/^DPoP .*error="use_dpop_nonce"/)
    const nonce = refused.headers.get('dpop-nonce') ?? ''
    expect(isThrough(await resource(path, await boundWithNonce(scope), key, { nonce }))).toBe(true)
    const atOther = await token(
      { grant_type: 'client_credentials' },
      { basic: 'backend' },
      await proofAt('/oauth/v2/token', key, { nonce }),
      other,
    )
    expect(atOther.status).toBe(200)
    expect(atOther.headers.get('dpop-nonce')).not.toBeNull()
    await requireNonce(false)
  })
})

describe('a loss of Redis', () => {
  it('goes on after Redis lost the records of used proofs, and an old proof stays refused [fault.proof-replay]', async () => {
    const [made, used] = [await proofAt('/oauth/v2/token'), await proofAt('/oauth/v2/token')]
    const form = { grant_type: 'client_credentials' }
    const from = { basic: 'backend' }
    expect((await token(form, from, used)).status).toBe(200)
    const redis = createRedis({ url: provider.system.redisUrl, name: 'test' })
    await redis.connect()
    await redis.del(...(await redis.keys('signet:replay:*')))
    redis.disconnect()
    for (const proof of [used, made]) {
      const answer = await token(form, from, proof)
      expect(answer).toMatchObject(refusedWith(400, 'use_dpop_nonce'))
      expect(answer.headers.get('dpop-nonce')).toMatch(/^[\w-]{30}$/)
    }
    // As far as the clocks of two replicas may differ.
    clock.advance(5_000)
    await flow()
    clock.advance(120_000)
  })
})

async function boundWithNonce(scope: string): Promise<unknown> {
  const first = await token({ grant_type: 'client_credentials' }, { basic: 'backend' })
  const nonce = first.headers.get('dpop-nonce') ?? ''
  const proof = await proofAt('/oauth/v2/token', key, { nonce })
  const answer = await redeem({ clientId: 'console', userId: 'owner', scope }, { basic: 'console' }, proof)
  expect(answer.status).toBe(200)
  return answer.json.access_token
}
