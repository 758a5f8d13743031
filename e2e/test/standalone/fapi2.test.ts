// An application with `fapi2`, by a stock client: FAPI 2.0 Security Profile, Final, section 5.3.2.
import { randomUUID } from 'node:crypto'
import { ADMIN_TOKEN, REDIRECT_URI } from '@signet/testing/system/oauth-directory'
import { startSystem } from '@signet/testing/system/start-system'
import { PASSWORD } from '@signet/testing/system/test-directory'
import { decodeProtectedHeader, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import * as oidc from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readResponse } from './authorization-response.ts'
import { connectProvider, type Parameters, PROVIDER_SYSTEM, type Provider } from './provider.ts'

const PAR = '/oauth/v2/par'
const CHALLENGE = { code_challenge: 'A'.repeat(43), code_challenge_method: 'S256' }
const REQUEST = { redirect_uri: REDIRECT_URI, response_type: 'code', scope: 'openid', ...CHALLENGE }
const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

let provider: Provider
let bank: Awaited<ReturnType<typeof generateKeyPair>>
let rsa: typeof bank

const manage = (method: string, path: string, body: object) =>
  provider.system.fetch(`/management/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
const settings = { authMethod: 'private_key_jwt', idTokenSigningAlg: 'ES256', fapi2: true }

beforeAll(async () => {
  provider = await connectProvider(await startSystem(PROVIDER_SYSTEM))
  bank = await generateKeyPair('ES256', { extractable: true })
  rsa = await generateKeyPair('RS256', { extractable: true })
  const application = {
    id: 'bank',
    projectId: 'portal',
    clientId: 'bank',
    name: 'Bank',
    type: 'web',
    firstParty: true,
  }
  const redirectUris = [REDIRECT_URI]
  const grantTypes = ['authorization_code', 'refresh_token']
  // `branch` gets the setting later.
  const branch = { id: 'branch', clientId: 'branch', name: 'Branch', fapi2: false }
  const signing = { requireSignedRequests: true, requireSignedResponses: true }
  const signer = { id: 'signer', clientId: 'signer', name: 'Signer', ...signing }
  const poster = { ...signer, id: 'poster', clientId: 'poster', fapi2: false }
  for (const more of [{}, branch, signer, poster]) {
    const body = { ...application, ...settings, redirectUris, grantTypes, ...more }
    const made = await manage('POST', '/applications', body)
    expect(made.status, made.text).toBe(201)
    for (const [id, { publicKey }] of Object.entries({ k1: bank, k2: rsa })) {
      const key = { id, publicKeyJwk: await exportJWK(publicKey) }
      expect((await manage('POST', `/applications/${body.id}/keys`, key)).status).toBe(201)
    }
  }
}, 60_000)
afterAll(() => provider?.stop())

const sign = (claims: JWTPayload, alg: 'ES256' | 'RS256' = 'ES256') =>
  new SignJWT(claims)
    .setProtectedHeader({ alg, kid: alg === 'ES256' ? 'k1' : 'k2' })
    .sign((alg === 'ES256' ? bank : rsa).privateKey)
const times = () => ({ iat: provider.now(), exp: provider.now() + 60 })

async function push(more: Parameters = {}, claims: JWTPayload = {}, alg?: 'ES256' | 'RS256') {
  const assertion = {
    iss: 'bank',
    sub: 'bank',
    aud: provider.issuer,
    jti: randomUUID(),
    ...times(),
    ...claims,
  }
  const form = {
    ...REQUEST,
    ...more,
    client_assertion: await sign(assertion, alg),
    client_assertion_type: ASSERTION_TYPE,
  }
  const given = Object.entries(form).filter(([, value]) => value !== '')
  const { status, json } = await provider.post(PAR, new URLSearchParams(given), {})
  return { status, error: json.error, description: String(json.error_description) }
}

/** Signs in with a pushed request, PKCE, an assertion for the issuer and a DPoP proof. */
async function signIn(scope = 'openid', clientId = 'bank') {
  const config = await provider.client(clientId, oidc.PrivateKeyJwt({ key: bank.privateKey, kid: 'k1' }))
  const DPoP = oidc.getDPoPHandle(config, await oidc.randomDPoPKeyPair('ES256'))
  const verifier = oidc.randomPKCECodeVerifier()
  const url = await oidc.buildAuthorizationUrlWithPAR(config, {
    ...{ redirect_uri: REDIRECT_URI, scope, code_challenge_method: 'S256' },
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
  })
  const browser = provider.system.newBrowser()
  const page = await browser.open(`${url.pathname}${url.search}`)
  const response = readResponse(await browser.submit(page, { login_name: 'alice', password: PASSWORD }))
  expect(response.parameters.get('iss')).toBe(provider.issuer)
  const checks = { pkceCodeVerifier: verifier, idTokenExpected: true }
  const tokens = await oidc.authorizationCodeGrant(config, response.received(), checks, undefined, { DPoP })
  expect(decodeProtectedHeader(tokens.id_token ?? '').alg).toBe('ES256')
  const refresh = (token = tokens.refresh_token ?? '') =>
    oidc.refreshTokenGrant(config, token, undefined, { DPoP })
  return { config, tokens, refresh }
}

it('signs in with a pushed request, PKCE, an assertion for the issuer and a DPoP proof [fapi.flow.par]', async () => {
  const { tokens } = await signIn()
  expect(tokens.token_type).toBe('dpop')
  expect(tokens.claims()).toMatchObject({ sub: 'alice', aud: 'bank' })
})

describe('refresh tokens', () => {
  const OFFLINE = 'openid offline_access'

  it('are not rotated: ten refreshes at once all succeed with the same one, and all end with it [fapi.server.kept-refresh-tokens]', async () => {
    const { config, tokens, refresh } = await signIn(OFFLINE)
    const answers = await Promise.all(Array.from({ length: 10 }, () => refresh()))
    answers.push(await refresh(answers[0]?.refresh_token))
    for (const { refresh_token } of answers) expect(refresh_token).toBe(tokens.refresh_token)
    const accessTokens = answers.map(({ access_token }) => access_token)
    expect(new Set(accessTokens).size).toBe(11)
    await oidc.tokenRevocation(config, tokens.refresh_token ?? '')
    for (const token of [tokens.access_token, ...accessTokens])
      expect(await provider.introspect(token)).toEqual({ active: false })
    await expect(refresh()).rejects.toMatchObject({ error: 'invalid_grant' })
  })

  it('from before fapi2 was set stay in use, and older ones are reuse', async () => {
    const { config, tokens, refresh } = await signIn(OFFLINE, 'branch')
    const rotated = await refresh()
    expect(rotated.refresh_token).not.toBe(tokens.refresh_token)
    expect((await manage('PATCH', '/applications/branch', { fapi2: true })).status).toBe(200)
    // Only an application with `fapi2` needs a proof.
    const refusal = () =>
      oidc
        .genericGrantRequest(config, 'authorization_code', { code: 'x', redirect_uri: REDIRECT_URI })
        .catch((error: unknown) => (error instanceof oidc.ResponseBodyError ? error.error_description : ''))
    await expect.poll(refusal, { interval: 100 }).toContain('DPoP')
    for (const _ of [1, 2])
      expect(await refresh(rotated.refresh_token)).toMatchObject({ refresh_token: rotated.refresh_token })
    await expect(refresh()).rejects.toMatchObject({ error: 'invalid_grant' })
    await expect(refresh(rotated.refresh_token)).rejects.toMatchObject({ error: 'invalid_grant' })
  })
})

describe('refuses', () => {
  it('requests that were not pushed [fapi.flow.par-only]', async () => {
    const { parameters } = await provider.authorize({ client_id: 'bank', ...CHALLENGE })
    expect(Object.fromEntries(parameters)).toMatchObject({
      error: 'invalid_request',
      error_description: expect.stringContaining('push'),
    })
  })

  it.each<[string, Parameters, string]>([
    ['no PKCE', { code_challenge: '', code_challenge_method: '' }, 'invalid_request'],
    ['plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['no redirect_uri', { redirect_uri: '' }, 'invalid_request'],
    ['response_type id_token', { response_type: 'id_token', nonce: 'n' }, 'unauthorized_client'],
    [
      'response_type code id_token',
      { response_type: 'code id_token', nonce: 'n' },
      'unsupported_response_type',
    ],
  ])(
    'a pushed request with %s [fapi.flow.response-type] [fapi.flow.pkce] [fapi.flow.redirect-uri]',
    async (_what, parameters, error) => {
      expect(await push(parameters)).toMatchObject({ status: 400, error })
    },
  )

  it('assertions for another audience than the issuer as a string, and those with RS256 [fapi.server.assertion-audience] [fapi.server.clocks]', async () => {
    expect(await push()).toMatchObject({ status: 201 })
    const { issuer } = provider
    for (const aud of [[issuer], `${issuer}/oauth/v2/token`, `${issuer}${PAR}`, [issuer, `${issuer}${PAR}`]])
      expect(await push({}, { aud })).toMatchObject({
        status: 401,
        description: expect.stringContaining('aud'),
      })
    expect(await push({}, {}, 'RS256')).toMatchObject({
      status: 401,
      description: expect.stringContaining('alg'),
    })
    // Clocks of clients differ.
    expect(await push({}, { nbf: provider.now() + 8 })).toMatchObject({ status: 201 })
    expect(await push({}, { nbf: provider.now() + 70 })).toMatchObject({ status: 401 })
  })

  it('request objects with RS256 [fapi.request.signed]', async () => {
    const object = { ...REQUEST, client_id: 'bank', aud: provider.issuer, ...times() }
    expect(await push({ request: await sign(object) })).toMatchObject({ status: 201 })
    expect(await push({ request: await sign(object, 'RS256') })).toMatchObject({
      error: 'invalid_request_object',
    })
  })

  it('token requests without a DPoP proof [fapi.server.sender-constrained]', async () => {
    const assertion = { iss: 'bank', sub: 'bank', aud: provider.issuer, jti: randomUUID(), ...times() }
    const form = { client_assertion: await sign(assertion), client_assertion_type: ASSERTION_TYPE }
    const code = { grant_type: 'authorization_code', code: 'x', redirect_uri: REDIRECT_URI }
    const { status, json } = await provider.post('/oauth/v2/token', { ...code, ...form }, {})
    expect({ status, description: json.error_description }).toEqual({
      status: 400,
      description: expect.stringContaining('DPoP'),
    })
  })

  it('pushed requests and token requests without client authentication [fapi.flow.par-authentication]', async () => {
    for (const [path, form] of [
      [PAR, REQUEST],
      ['/oauth/v2/token', { grant_type: 'client_credentials' }],
    ] as const) {
      const { status, json } = await provider.post(path, { ...form, client_id: 'bank' }, {})
      expect([status, json.error], path).toEqual([401, 'invalid_client'])
    }
  })

  it.each<[string, object]>([
    ['authMethod', { authMethod: 'client_secret_basic' }],
    ['authMethod', { authMethod: 'none' }],
    ['responseTypes', { responseTypes: ['code', 'id_token'] }],
    ['pkceOptional', { pkceOptional: true }],
    ['devMode', { devMode: true }],
    ['idTokenSigningAlg', { idTokenSigningAlg: 'RS256' }],
    ['accessTokenSigningAlg', { accessTokenType: 'jwt' }],
  ])(
    '%s that the profile forbids, and names the rule [fapi.server.confidential] [fapi.server.client-authentication] [fapi.flow.https] [fapi.crypto.algorithms]',
    async (field, change) => {
      const answer = await manage('PATCH', '/applications/bank', change)
      expect(answer.status).toBe(400)
      expect(answer.text).toContain(field)
      expect(answer.text).toContain('FAPI 2.0 Security Profile section')
      expect((await manage('PATCH', '/applications/web', { fapi2: true })).text).toContain('authMethod')
    },
  )
})

describe('an application that signs its requests and takes signed responses', () => {
  const signed = (change: object = {}) =>
    sign({
      ...REQUEST,
      client_id: 'signer',
      aud: provider.issuer,
      nbf: provider.now(),
      ...times(),
      ...change,
    })
  const jarm = { response_mode: 'jwt' }

  const pushSigned = (more: Parameters) => push(more, { iss: 'signer', sub: 'signer' })

  it('signs in by a stock client', async () => {
    const config = await provider.client('signer', oidc.PrivateKeyJwt({ key: bank.privateKey, kid: 'k1' }))
    oidc.useJwtResponseMode(config)
    const DPoP = oidc.getDPoPHandle(config, await oidc.randomDPoPKeyPair('ES256'))
    const verifier = oidc.randomPKCECodeVerifier()
    const parameters = {
      redirect_uri: REDIRECT_URI,
      scope: 'openid',
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }
    const { searchParams } = await oidc.buildAuthorizationUrlWithJAR(
      config,
      parameters,
      { key: bank.privateKey, kid: 'k1' },
      { [oidc.modifyAssertion]: (_header, payload) => Object.assign(payload, { nbf: provider.now() }) },
    )
    const pushed = await oidc.buildAuthorizationUrlWithPAR(config, searchParams)
    const browser = provider.system.newBrowser()
    const page = await browser.open(`${pushed.pathname}${pushed.search}`)
    const answer = readResponse(await browser.submit(page, { login_name: 'alice', password: PASSWORD }))
    expect([...answer.parameters.keys()]).toEqual(['response'])
    const checks = { pkceCodeVerifier: verifier, idTokenExpected: true }
    const tokens = await oidc.authorizationCodeGrant(config, answer.received(), checks, undefined, { DPoP })
    expect(tokens.claims()).toMatchObject({ sub: 'alice' })
  })

  it('sends its request in a form, where that need not be pushed', async () => {
    const request = await signed({ client_id: 'poster', response_mode: 'jwt' })
    const browser = provider.system.newBrowser()
    const posted = await browser.send('/oauth/v2/authorize', { client_id: 'poster', request })
    const page = await browser.open(posted.headers.get('location') ?? '')
    const answer = readResponse(await browser.submit(page, { login_name: 'alice', password: PASSWORD }))
    expect([...answer.parameters.keys()]).toEqual(['response'])
  })

  it('takes no request without its signature, pushed or not [fapi.request.required]', async () => {
    expect(await pushSigned(jarm)).toMatchObject({
      error: 'invalid_request',
      description: expect.stringContaining('signed request object'),
    })
    const { parameters } = await provider.authorize({ client_id: 'signer', ...CHALLENGE, ...jarm })
    expect([...parameters.keys()]).toEqual(['response'])
  })

  it('takes no request for another response, also where its object asks for one outside [fapi.response.required]', async () => {
    for (const outside of [{}, jarm])
      expect(await pushSigned({ ...outside, request: await signed() })).toMatchObject({
        error: 'invalid_request',
        description: expect.stringContaining('response_mode'),
      })
    for (const response_mode of ['jwt', 'query.jwt', 'form_post.jwt'])
      expect(await pushSigned({ request: await signed({ response_mode }) })).toMatchObject({ status: 201 })
  })

  it.each<[string, () => object, string]>([
    ['no aud', () => ({ aud: undefined }), 'aud'],
    ['another aud', () => ({ aud: 'https://other.example' }), 'aud'],
    ['no nbf', () => ({ nbf: undefined }), 'nbf'],
    ['no exp', () => ({ exp: undefined }), 'exp'],
    ['nbf more than an hour ago', () => ({ nbf: provider.now() - 3_700, exp: provider.now() + 60 }), 'hour'],
    ['exp more than an hour after nbf', () => ({ exp: provider.now() + 3_700 }), 'hour'],
  ])(
    'takes no object with %s [fapi.request.audience] [fapi.request.not-before] [fapi.request.expiry]',
    async (_what, change, rule) => {
      expect(await pushSigned({ request: await signed({ ...jarm, ...change() }) })).toMatchObject({
        error: 'invalid_request_object',
        description: expect.stringContaining(rule),
      })
    },
  )
})

it('requirePkce demands a code challenge of an application with a secret', async () => {
  const errorOf = async () => (await provider.authorize({ client_id: 'other' })).parameters.get('error')
  expect(await errorOf()).toBeNull()
  expect((await manage('PATCH', '/applications/other', { requirePkce: true })).status).toBe(200)
  await expect.poll(() => errorOf(), { interval: 100 }).toBe('invalid_request')
})

it('keeps to the profile where an import left settings that it forbids', async () => {
  await provider.system.database.query({
    name: '',
    text: `UPDATE directory.application SET id_token_signing_alg = 'RS256', access_token_signing_alg = 'RS256', dev_mode = true
            WHERE application_id = 'bank'`,
    values: [],
  })
  const { rows } = await provider.system.database.query({
    name: '',
    text: `SELECT id_token_signing_alg, access_token_signing_alg, dev_mode FROM directory_read.client_v1 WHERE client_id = 'bank'`,
    values: [],
  })
  expect(rows).toEqual([
    { id_token_signing_alg: 'ES256', access_token_signing_alg: 'ES256', dev_mode: false },
  ])
  await signIn()
})
