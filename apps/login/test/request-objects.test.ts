import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asOwner, startTestEnvironment, type TestEnvironment, WEB_REQUEST } from './setup.ts'

let env: TestEnvironment
let keys: Awaited<ReturnType<typeof generateKeyPair>>
let others: typeof keys

beforeAll(async () => {
  env = await startTestEnvironment()
  keys = await generateKeyPair('ES256', { extractable: true })
  others = await generateKeyPair('ES256', { extractable: true })
  const jwk = JSON.stringify({ ...(await exportJWK(keys.publicKey)), alg: 'ES256' })
  await asOwner(env.adminUrl, [
    `INSERT INTO directory.application_key (application_id, kid, jwk) VALUES ('a1', 'k1', '${jwk}'), ('a2', 'k1', '${jwk}')`,
  ])
})
afterAll(() => env.stop())

const seconds = () => Math.floor(env.clock.now().getTime() / 1000)
const claims = () => ({ ...WEB_REQUEST, iss: 'web', aud: env.issuer, nbf: seconds(), exp: seconds() + 300 })
type Claims = Readonly<Record<string, unknown>>

const sign = (more: Claims = {}, header: Claims = {}, key = keys.privateKey) =>
  new SignJWT(JSON.parse(JSON.stringify({ ...claims(), ...more })))
    .setProtectedHeader({ alg: 'ES256', kid: 'k1', ...header })
    .sign(key)

const open = async (request: string, beside: Readonly<Record<string, string>> = {}) => {
  const browser = env.newBrowser()
  const view = await browser.get(
    `/oauth/v2/authorize?${new URLSearchParams({ client_id: 'web', request, ...beside })}`,
  )
  return { browser, page: await browser.follow(view) }
}

const BESIDE = { redirect_uri: WEB_REQUEST.redirect_uri, state: 'beside' }
/** The error that goes to the redirect URI beside an object. */
const errorOf = async (request: string) => {
  const { page } = await open(request, BESIDE)
  expect(page.location, page.text).toMatch(/^https:\/\/rp\.localhost\/callback\?/)
  const { searchParams } = new URL(page.location)
  expect(searchParams.get('state')).toBe('beside')
  return [searchParams.get('error'), searchParams.get('error_description')]
}

describe('a signed request object (RFC 9101)', () => {
  it('signs in with its parameters; those beside it do not count', async () => {
    const object = await sign({
      nonce: 'n-1',
      max_age: 60,
      claims: { id_token: { email: null } },
      unknown: [1],
    })
    const { browser, page } = await open(object, {
      ...{ scope: 'openid phone', state: 'other', redirect_uri: 'https://evil.example', prompt: 'none' },
    })
    expect(page.text).toContain('Sign in')
    const response = await env.signIn(browser, page)
    expect(response.get('state')).toBe(WEB_REQUEST.state)
    expect(env.fakes.codeRequests.at(-1)).toMatchObject({ nonce: 'n-1', scopes: ['openid'] })
    expect(env.fakes.codeRequests.at(-1)?.claims).toContain('email')
  })

  it('has the parameters that are missing beside it, and lacks those that are there alone', async () => {
    const { page } = await open(await sign({ scope: undefined }), { ...WEB_REQUEST, scope: 'openid' })
    expect(new URL(page.location).searchParams.get('error')).toBe('invalid_request')
    const without = await open(await sign({ redirect_uri: undefined }), WEB_REQUEST)
    expect(without.page).toMatchObject({ status: 400, location: '' })
  })

  it('comes by POST', async () => {
    const browser = env.newBrowser()
    const form = { client_id: 'web', request: await sign() }
    const page = await browser.follow(await browser.post('/oauth/v2/authorize', form))
    expect((await env.signIn(browser, page)).get('code')).toMatch(/^code-/)
  })

  it.each<[string, () => Promise<string>, string, RegExp]>([
    ['has alg none', async () => new UnsecuredJWT(claims()).encode(), 'request_not_supported', /none/],
    ['is encrypted', async () => 'e30.YQ.YQ.YQ.YQ', 'request_not_supported', /Encrypted/],
    ['is no JWT', async () => 'text', 'invalid_request_object', /signed JWT/],
    ['has the key of others', () => sign({}, {}, others.privateKey), 'invalid_request_object', /signature/],
    ['has an unknown kid', () => sign({}, { kid: 'k2' }), 'invalid_request_object', /kid/],
    ['is of another client', () => sign({ client_id: 'spa' }), 'invalid_request_object', /client_id/],
    ['has no client_id', () => sign({ client_id: undefined }), 'invalid_request_object', /client_id/],
    ['has the issuer of others', () => sign({ iss: 'spa' }), 'invalid_request_object', /iss/],
    ['is like a client assertion', () => sign({ sub: 'web' }), 'invalid_request_object', /sub/],
    ['has an object in it', () => sign({ request: 'e30' }), 'invalid_request_object', /request/],
    [
      'has a request_uri in it',
      () => sign({ request_uri: 'urn:x' }),
      'invalid_request_object',
      /request_uri/,
    ],
    ['is for others', () => sign({ aud: 'https://other.example' }), 'invalid_request_object', /aud/],
    [
      'has expired',
      () => sign({ exp: seconds() - 61, nbf: seconds() - 90 }),
      'invalid_request_object',
      /expired/,
    ],
    ['is early', () => sign({ nbf: seconds() + 61 }), 'invalid_request_object', /future/],
    ['lives too long', () => sign({ exp: seconds() + 3_601 }), 'invalid_request_object', /hour/],
    ['has a text as exp', () => sign({ exp: 'soon' }), 'invalid_request_object', /number/],
    ['has a list as scope', () => sign({ scope: ['openid'] }), 'invalid_request_object', /scope/],
  ])(
    'is refused when it %s [fapi.crypto.none] [fapi.request.bounds]',
    async (_what, object, error, description) => {
      expect(await errorOf(await object())).toEqual([error, expect.stringMatching(description)])
    },
  )

  it('is refused with a page where no redirect URI beside it is registered', async () => {
    const object = await sign({ aud: 'https://other.example' })
    for (const beside of [{}, { redirect_uri: 'https://evil.example' }]) {
      expect((await open(object, beside)).page).toMatchObject({ status: 400, location: '' })
    }
    expect((await open(object)).page.text).toContain('aud must be the issuer')
    expect((await open(object, { client_id: 'nobody' })).page).toMatchObject({ status: 400, location: '' })
  })

  it('accepts clocks that differ by a minute, and objects without times and audience', async () => {
    const none = { aud: undefined, exp: undefined, nbf: undefined, iss: undefined }
    for (const object of [none, { nbf: seconds() + 59 }, { exp: seconds() - 59, nbf: seconds() - 90 }])
      expect((await open(await sign(object))).page.text).toContain('Sign in')
  })

  it('has the type oauth-authz-req+jwt, JWT or none [fapi.request.type]', async () => {
    for (const typ of ['oauth-authz-req+jwt', 'JWT', undefined])
      expect((await open(await sign({}, { typ }))).page.text).toContain('Sign in')
  })

  it('is pushed, and its parameters are those of the request (RFC 9126 section 3)', async () => {
    const push = async (request: string) => {
      const response = await fetch(`http://127.0.0.1:${env.port}/oauth/v2/par`, {
        method: 'POST',
        body: new URLSearchParams({ client_id: 'spa', request, scope: 'openid phone' }),
      })
      return { status: response.status, ...(await response.json()) }
    }
    const spa = {
      ...{ client_id: 'spa', iss: 'spa', redirect_uri: 'https://spa.localhost/callback' },
      ...{ code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256' },
    }
    const pushed = await push(await sign(spa))
    expect(pushed.status).toBe(201)
    const browser = env.newBrowser()
    const query = new URLSearchParams({ client_id: 'spa', request_uri: pushed.request_uri })
    const page = await browser.follow(await browser.get(`/oauth/v2/authorize?${query}`))
    expect((await env.signIn(browser, page)).get('code')).toMatch(/^code-/)
    expect(env.fakes.codeRequests.at(-1)).toMatchObject({ clientId: 'spa', scopes: ['openid'] })
    for (const [object, error] of [
      [await sign({ ...spa, client_id: 'web' }), 'invalid_request_object'],
      [await sign({ ...spa, scope: 'email' }), 'invalid_scope'],
      ['e30.YQ.YQ.YQ.YQ', 'request_not_supported'],
    ] as const)
      expect(await push(object)).toMatchObject({ status: 400, error })
  })
})
