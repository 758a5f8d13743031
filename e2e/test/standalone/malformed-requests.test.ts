import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { GRANT_TYPES } from '@signet/protocol/grant-types'
import type { HttpBrowser, Page } from '@signet/testing/http-browser'
import { size } from '@signet/testing/sizes'
import { REDIRECT_URI } from '@signet/testing/system/oauth-directory'
import { startSystem } from '@signet/testing/system/start-system'
import { PASSWORD } from '@signet/testing/system/test-directory'
import fc from 'fast-check'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { goodJsonRequests, malformedJson } from './fuzz/malformed-json.ts'
import { malformedRequest, type Target } from './fuzz/malformed-request.ts'
import { expectHarmless, type RawRequest, send } from './fuzz/raw-request.ts'
import { basic, connectProvider, type Provider, SIGNING_KEY } from './provider.ts'
import { POST_LOGOUT_URI, providerDirectory, withDeviceGrant } from './provider-directory.ts'

type Parameters = Readonly<Record<string, string>>

interface GoodRequests {
  /** Targets by their kind. */
  readonly targets: Readonly<Record<string, Target>>
  /** Tokens, names and values that damaged requests are made of. */
  readonly known: readonly string[]
  /** Secrets that name nothing which an administrator could delete. */
  readonly secrets: readonly string[]
}

const TOKEN = '/oauth/v2/token'
const PAR = '/oauth/v2/par'
const HANDLE = 'a'.repeat(43)

const get = (path: string, parameters: Parameters, headers: Parameters = {}): Target => ({
  method: 'GET',
  path,
  parameters,
  headers,
})
const post = (path: string, parameters: Parameters, headers: Parameters = {}): Target => ({
  method: 'POST',
  path,
  parameters,
  headers,
})

/** A proof of a key of its own for one request (RFC 9449 section 4.2). */
async function dpopProof(provider: Provider, htm: string, path: string): Promise<Parameters> {
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const header = { alg: 'ES256', typ: 'dpop+jwt', jwk: await exportJWK(publicKey) }
  const dpop = await new SignJWT({ htm, htu: provider.issuer + path, jti: randomUUID(), iat: provider.now() })
    .setProtectedHeader(header)
    .sign(privateKey)
  return { dpop }
}

/** A request to every endpoint that it answers well, in a browser where alice is signed in. */
async function goodRequests(provider: Provider): Promise<GoodRequests> {
  const { browser, tokens } = await provider.signIn({ scope: 'openid profile offline_access' })
  const { access_token, refresh_token = '', id_token = '' } = tokens
  const code = (await provider.authorize({}, { browser })).parameters.get('code') ?? ''
  const assertion = await provider.assertion()
  const cookieOf = (of = browser) => [...of.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  /** The form of a page after a user entered these values. */
  const form = (shown: Page, action: string, entered: Parameters, from = browser): Target => {
    const hidden = [...shown.body.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)]
    if (hidden.length === 0) throw new Error(`no form for ${action} in:\n${shown.body}`)
    const fields = Object.fromEntries(hidden.map(([, name, value]) => [name, value]))
    return post(action, { ...fields, ...entered }, { cookie: cookieOf(from) })
  }
  const stranger = provider.system.newBrowser()
  const passwordOfBob = { login_name: 'bob', password: PASSWORD }
  const secondFactor = await stranger.submit(await provider.open(stranger), passwordOfBob)
  const page = (prompt: string) => provider.open(browser, { prompt })
  const query = new URLSearchParams(provider.authorizationUrl().split('?')[1])
  const request = {
    ...Object.fromEntries(query),
    ...{
      nonce: 'n',
      state: 's',
      ui_locales: 'de',
      max_age: '10000',
      prompt: 'none',
      id_token_hint: id_token,
    },
    claims: '{"userinfo":{"name":null}}',
  }
  const logout = { client_id: 'web', state: 's', post_logout_redirect_uri: POST_LOGOUT_URI }
  const registration = {
    given_name: 'A',
    family_name: 'B',
    email: 'a@b.example',
    user_name: 'ab',
    password: 'x',
  }
  const refresh = { grant_type: 'refresh_token', refresh_token, scope: 'openid' }
  const redeem = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, code_verifier: HANDLE }
  const exchange = {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: access_token,
    subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    actor_token: id_token,
    actor_token_type: 'urn:ietf:params:oauth:token-type:id_token',
    ...{ audience: 'portal', scope: 'openid', requested_token_type: 'urn:ietf:params:oauth:token-type:jwt' },
  }
  const byAssertion = {
    grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
    assertion: assertion.client_assertion ?? '',
  }
  const object = await new SignJWT({ ...request, client_id: 'keyed', aud: provider.issuer })
    .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
    .sign(SIGNING_KEY)
  const signed = { client_id: 'keyed', redirect_uri: REDIRECT_URI, request: object }
  const pushed = { ...request, dpop_jkt: HANDLE, code_challenge: HANDLE, code_challenge_method: 'S256' }
  const proofAtToken = await dpopProof(provider, 'POST', TOKEN)
  const proofAtUserinfo = await dpopProof(provider, 'GET', '/oidc/v1/userinfo')
  const { json: device } = await provider.post('/oauth/v2/device_authorization', { scope: 'openid' })
  const targets: Record<string, Target> = {
    'the sign-in form': form(await page('login'), '/ui/login', { login_name: 'nobody', password: 'x' }),
    'the registration form': form(await page('create'), '/ui/register', registration),
    'the account chooser': form(await page('select_account'), '/ui/accounts', { sid: HANDLE }),
    'the consent form': form(await page('consent'), '/ui/consent', { decision: 'perhaps' }),
    'the logout form': form(await browser.open('/oidc/v1/end_session'), '/ui/logout', { x: 'y' }),
    'the second factor': form(secondFactor, '/ui/totp', { code: '123456' }, stranger),
    'the code of a device': form(await browser.open('/ui/device'), '/ui/device', { user_code: 'BCDF-GHJK' }),
    'a request of a device': post(
      '/oauth/v2/device_authorization',
      {
        scope: 'openid',
        nonce: 'n',
        claims: request.claims,
        max_age: '10000',
        login_hint: 'a',
        ui_locales: 'de',
      },
      basic(),
    ),
    'token by device code': post(
      TOKEN,
      { grant_type: GRANT_TYPES.deviceCode, device_code: String(device.device_code) },
      basic(),
    ),
    'the code of a device in the address': get('/ui/device', { user_code: String(device.user_code) }),
    'the end of a request of a device': get('/ui/device/done', { error: 'access_denied', iss: 'x' }),
    'the sign-in page': get('/ui/login', { request: HANDLE }),
    authorize: get('/oauth/v2/authorize', request, { cookie: cookieOf() }),
    'authorize by POST': post('/oauth/v2/authorize', request, { cookie: cookieOf() }),
    'authorize, continued': get('/oauth/v2/authorize', { continue: HANDLE, posted: HANDLE }),
    'authorize with a request object': get('/oauth/v2/authorize', signed, { cookie: cookieOf() }),
    'a pushed request': post(PAR, pushed, { ...basic(), ...(await dpopProof(provider, 'POST', PAR)) }),
    'a pushed request object': post(PAR, { request: object, ...assertion }),
    'end session': get('/oidc/v1/end_session', { ...logout, id_token_hint: id_token }),
    'token by code': post(TOKEN, redeem, basic()),
    'token by refresh token': post(TOKEN, refresh, basic()),
    'token with a proof': post(TOKEN, refresh, { ...basic(), ...proofAtToken }),
    'token by client credentials': post(
      TOKEN,
      { grant_type: 'client_credentials', scope: 'openid' },
      basic('machine'),
    ),
    'token by assertion': post(TOKEN, { ...byAssertion, scope: 'openid' }),
    'token by exchange': post(TOKEN, exchange, basic('exchanger')),
    'token for private_key_jwt': post(TOKEN, { ...refresh, ...assertion }),
    introspection: post('/oauth/v2/introspect', { token: access_token, token_type_hint: 'x' }, basic('api')),
    'introspection for private_key_jwt': post('/oauth/v2/introspect', { token: access_token, ...assertion }),
    revocation: post('/oauth/v2/revoke', { token: access_token, token_type_hint: 'x' }, basic('other')),
    userinfo: get('/oidc/v1/userinfo', { x: 'y' }, { authorization: `Bearer ${access_token}` }),
    'userinfo with a proof': get(
      '/oidc/v1/userinfo',
      { x: 'y' },
      { authorization: `DPoP ${access_token}`, ...proofAtUserinfo },
    ),
    'userinfo by POST': post('/oidc/v1/userinfo', { access_token }),
    'the key set': get('/oauth/v2/keys', { x: 'y' }),
    discovery: get('/.well-known/openid-configuration', { x: 'y' }),
    'no endpoint': get('/oauth/v2', { x: 'y' }),
  }
  const names = ['alice', 'web', 'openid email', 'none login', 'code id_token', 'S256', 'de en', 'form_post']
  const secrets = [access_token, refresh_token, id_token, code, cookieOf()]
  return { targets, known: [...secrets, ...Object.values(request), ...names], secrets }
}

// The same requests in every run, so that one that fails can be sent again; a larger run begins with those of a smaller.
const SEED = 20
const BATCH = 5
const GROWTH_BYTES = 40 * 1024 * 1024

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

/** Bytes that are no HTTP request, or one that proxies and servers have parsed differently. */
const RAW_BYTES: Readonly<Record<string, string>> = {
  'nothing but noise': '\u0000\u0001\u0002\r\n\r\n',
  'the start of a TLS handshake': '\u0016\u0003\u0001\u0002\u0000\u0001\r\n\r\n',
  'a request line without end': `GET /${'a'.repeat(100_000)}`,
  'an address of 100,000 characters': `GET /ui/login?${'a'.repeat(100_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
  'a header of 100,000 characters': `GET / HTTP/1.1\r\nHost: x\r\nCookie: ${'a'.repeat(100_000)}\r\n\r\n`,
  'ten thousand headers': `GET / HTTP/1.1\r\nHost: x\r\n${'a: b\r\n'.repeat(10_000)}\r\n`,
  'two lengths':
    'POST /oauth/v2/token HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 9\r\n\r\na',
  'a length beside chunks':
    'POST /oauth/v2/token HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'a negative length': 'POST /oauth/v2/token HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n',
  'a chunk without a size':
    'POST /oauth/v2/token HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
  'no host': 'GET /oauth/v2/keys HTTP/1.1\r\n\r\n',
  'another protocol': 'GET / SPDY/3\r\nHost: x\r\n\r\n',
  'an absolute address of somebody else':
    'GET http://evil.example/oauth/v2/keys HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n',
  'an upgrade': 'GET /oauth/v2/keys HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n',
  'a tunnel': 'CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n',
}

let provider: Provider
let good: GoodRequests
/** A browser that is signed in and unrelated to the malformed requests. */
let bystander: HttpBrowser
beforeAll(async () => {
  const document = withDeviceGrant(providerDirectory(), ['web'])
  provider = await connectProvider(await startSystem({ mode: 'in-process', document }))
  bystander = (await provider.signIn({ loginName: 'carol+1' })).browser
  good = await goodRequests(provider)
}, 60_000)
afterAll(() => provider?.stop())

/** Sends batches of requests, side by side, and expects nothing but harmless answers. */
async function expectAllHarmless(requests: fc.Arbitrary<RawRequest>, count: number): Promise<void> {
  const batches = fc.array(requests, { minLength: BATCH, maxLength: BATCH })
  const attack = fc.asyncProperty(batches, async (batch) => {
    const answers = await Promise.all(batch.map((request) => send(provider.issuer, request)))
    for (const answer of answers) expectHarmless(answer)
  })
  await fc.assert(attack, { seed: SEED, numRuns: Math.ceil(count / BATCH) })
}

/** Collects garbage, and returns how many bytes are still held. */
function collectGarbage(): number {
  collect()
  return process.memoryUsage().heapUsed
}

/** Sends bytes and returns the status lines that came back before the connection ended. */
function exchange(origin: string, bytes: string): Promise<readonly string[]> {
  return new Promise((resolve) => {
    let received = ''
    const socket = connect(Number(new URL(origin).port), '127.0.0.1', () => socket.end(bytes, 'latin1'))
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1')
    })
    // A server that has heard enough may cut the connection.
    socket.on('error', () => socket.destroy())
    socket.on('close', () => resolve(received.match(/^HTTP\/1\.1 \d{3}/gm) ?? []))
  })
}

describe('malformed input', () => {
  it('harms no OAuth endpoint and no page, one after the other', async () => {
    for (const target of Object.values(good.targets)) {
      await expectAllHarmless(malformedRequest(target, good.known), size('malformedRequests'))
    }
  }, 3_600_000)

  it('harms no operation of the APIs, with and without a bearer', async () => {
    const operations = await goodJsonRequests(provider)
    const requests = operations.map((operation) => malformedJson(operation, good.secrets))
    await expectAllHarmless(fc.oneof(...requests), size('malformedOperations'))
  }, 3_600_000)

  it('does not grow the memory', async () => {
    const targets = Object.values(good.targets)
    const requests = fc.oneof(...targets.map((target) => malformedRequest(target, good.known)))
    await expectAllHarmless(requests, size('malformedRequests'))
    const before = collectGarbage()
    await expectAllHarmless(requests, size('malformedRequests'))
    expect(collectGarbage() - before).toBeLessThan(GROWTH_BYTES)
  }, 3_600_000)

  it.each(Object.keys(RAW_BYTES))('bytes that are no HTTP affect no other request: %s', async (what) => {
    const lines = await exchange(provider.issuer, RAW_BYTES[what] ?? '')
    for (const line of lines) expect(line).toMatch(/^HTTP\/1\.1 [234]/)
  })

  it('leaves everything working', async () => {
    const { tokens } = await provider.signIn({ scope: 'openid offline_access', browser: bystander })
    expect((await provider.introspect(tokens.access_token)).active).toBe(true)
  })
})
