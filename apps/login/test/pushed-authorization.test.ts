import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { PageView, TestBrowser } from './browser.ts'
import { asOwner, startTestEnvironment, type TestEnvironment, WEB_REQUEST } from './setup.ts'

const PAR = '/oauth/v2/par'
const SECRET = 'sgcs_of_a_client_that_pushes'
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

let env: TestEnvironment
let keys: Awaited<ReturnType<typeof generateKeyPair>>

beforeAll(async () => {
  env = await startTestEnvironment()
  keys = await generateKeyPair('ES256', { extractable: true })
  const hash = `sha256$${createHash('sha256').update(SECRET).digest('base64url')}`
  const jwk = JSON.stringify({ ...(await exportJWK(keys.publicKey)), alg: 'ES256' })
  const columns =
    'application_id, client_id, project_id, name, type, auth_method, redirect_uris, response_types, grant_types, first_party'
  const rest = `'{https://rp.localhost/callback}', '{code}', '{authorization_code}', true`
  await asOwner(env.adminUrl, [
    `INSERT INTO directory.application_secret (application_id, hash) VALUES ('a1', '${hash}')`,
    `INSERT INTO directory.application (${columns}) VALUES
       ('p1', 'posts', 'portal', 'Posts', 'web', 'client_secret_post', ${rest}),
       ('p2', 'signs', 'portal', 'Signs', 'web', 'private_key_jwt', ${rest}),
       ('p3', 'pushes', 'portal', 'Pushes', 'web', 'client_secret_post', ${rest})`,
    `INSERT INTO directory.application_secret (application_id, hash) VALUES ('p1', '${hash}'), ('p3', '${hash}')`,
    `INSERT INTO directory.application_key (application_id, kid, jwk) VALUES ('p2', 'k1', '${jwk}')`,
    `UPDATE directory.application SET require_pushed_authorization = true WHERE application_id = 'p3'`,
  ])
})
afterAll(() => env.stop())
// The limits of storage recover with time.
beforeEach(() => env.clock.advance(30 * 60_000))

type Parameters = Readonly<Record<string, string>>
interface Pushed {
  readonly status: number
  readonly headers: Headers
  readonly body: Readonly<Record<string, unknown>>
}

const basic = { authorization: `Basic ${Buffer.from(`web:${SECRET}`).toString('base64')}` }

async function post(form: string, headers: Parameters = {}, port = env.port): Promise<Pushed> {
  const response = await fetch(`http://127.0.0.1:${port}${PAR}`, {
    method: 'POST',
    // A connection that the server closes while this process is busy would fail the next request.
    headers: { 'content-type': 'application/x-www-form-urlencoded', connection: 'close', ...headers },
    body: form,
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: JSON.parse(text) }
}

/** Pushes a request of `web` with its secret, unless the headers say otherwise. */
const push = (parameters: Parameters = {}, headers: Parameters = basic) =>
  post(`${new URLSearchParams({ ...WEB_REQUEST, ...parameters })}`, headers)

async function pushed(parameters: Parameters = {}): Promise<string> {
  const { status, body } = await push(parameters)
  expect(status, JSON.stringify(body)).toBe(201)
  return String(body.request_uri)
}

const address = (requestUri: string, more: Parameters = {}) =>
  `/oauth/v2/authorize?${new URLSearchParams({ client_id: 'web', request_uri: requestUri, ...more })}`
const open = (browser: TestBrowser, requestUri: string, more?: Parameters) =>
  browser.get(address(requestUri, more)).then((view) => browser.follow(view))
const codeOf = ({ location }: PageView) =>
  location.startsWith('https://rp.localhost/') ? new URL(location).searchParams.get('code') : null

async function signedInBrowser(): Promise<TestBrowser> {
  const browser = env.newBrowser()
  await env.signIn(browser, await env.authorize(browser))
  return browser
}

const assertion = (audience: string | readonly string[], jti?: string) =>
  new SignJWT({ ...(jti !== undefined && { jti }) })
    .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
    .setIssuer('signs')
    .setSubject('signs')
    .setAudience(audience as string | string[])
    .setIssuedAt(env.clock.now().getTime() / 1000)
    .setExpirationTime(env.clock.now().getTime() / 1000 + 60)
    .sign(keys.privateKey)

const asserted = async (audience: string, jti?: string) => ({
  client_id: 'signs',
  client_assertion: await assertion(audience, jti),
  client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
})

describe('a pushed request (RFC 9126)', () => {
  it('signs in with the pushed parameters; those beside request_uri do not count [fapi.flow.request-uri-lifetime]', async () => {
    const answer = await push({ nonce: 'n-1', scope: 'openid email', login_hint: 'user1' })
    expect(answer.status).toBe(201)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.body).toEqual({
      request_uri: expect.stringMatching(/^urn:ietf:params:oauth:request_uri:[A-Za-z0-9_-]{43}$/),
      expires_in: 90,
    })
    const browser = env.newBrowser()
    const page = await open(browser, String(answer.body.request_uri), {
      ...{ scope: 'openid phone', state: 'other', redirect_uri: 'https://evil.example', nonce: 'other' },
      ...{ response_type: 'id_token', response_mode: 'fragment', prompt: 'none' },
    })
    expect(page.body).toContain('value="user1"')
    const response = await env.signIn(browser, page)
    expect(Object.fromEntries(response)).toEqual({
      code: expect.stringMatching(/^code-/),
      state: WEB_REQUEST.state,
      iss: env.issuer,
    })
    expect(env.fakes.codeRequests.at(-1)).toMatchObject({ nonce: 'n-1', scopes: ['openid', 'email'] })
  })

  it('comes from each client authentication method, and from public clients', async () => {
    const secret = { client_secret: SECRET }
    const spa = { client_id: 'spa', redirect_uri: 'https://spa.localhost/callback' }
    const challenge = { code_challenge: CHALLENGE, code_challenge_method: 'S256' }
    const audiences = [env.issuer, `${env.issuer}/oauth/v2/token`, `${env.issuer}${PAR}`]
    for (const [parameters, headers] of [
      [{}, basic],
      [{ client_id: 'posts', ...secret }, {}],
      [{ ...spa, ...challenge }, {}],
      ...(await Promise.all(audiences.map(async (audience) => [await asserted(audience), {}] as const))),
    ] as const) {
      expect(await push(parameters, headers)).toMatchObject({ status: 201 })
    }
    for (const [parameters, headers, error] of [
      [{}, { authorization: `Basic ${btoa('web:wrong')}` }, 'invalid_client'],
      [{}, {}, 'invalid_client'],
      [{ client_id: 'posts', client_secret: 'wrong' }, {}, 'invalid_client'],
      [{ client_id: 'nobody' }, {}, 'invalid_client'],
      [{ client_id: 'asleep', ...secret }, {}, 'invalid_client'],
      [await asserted('https://other.example'), {}, 'invalid_client'],
      [{ ...secret }, basic, 'invalid_request'],
      [{ client_id: 'posts' }, basic, 'invalid_request'],
    ] as const) {
      const { status, body } = await push(parameters, headers)
      expect({ status, error: body.error }).toEqual({ status: error === 'invalid_client' ? 401 : 400, error })
    }
  })

  it('refuses a client assertion that was used before, on another replica too', async () => {
    const form = await asserted(env.issuer, 'j-1')
    expect(await push(form, {})).toMatchObject({ status: 201 })
    const again = await post(
      `${new URLSearchParams({ ...WEB_REQUEST, ...form })}`,
      {},
      await env.startReplica(),
    )
    expect(again).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
  })

  it('throttles failed authentications of a client', async () => {
    const wrong = () => push({}, { authorization: `Basic ${btoa('web:wrong')}` })
    const statuses = []
    for (let n = 0; n < 21; n += 1) statuses.push((await wrong()).status)
    expect(statuses).toEqual([...Array(20).fill(401), 429])
    // A secret that cannot be guessed is compared first.
    expect(await push()).toMatchObject({ status: 201 })
  })

  it.each<[string, Parameters, string]>([
    ['no redirect_uri', { redirect_uri: '' }, 'invalid_request'],
    ['an unregistered redirect_uri', { redirect_uri: 'https://evil.example' }, 'invalid_request'],
    ['no response_type', { response_type: '' }, 'invalid_request'],
    ['an unknown response_type', { response_type: 'token' }, 'unsupported_response_type'],
    ['a response_type of others', { response_type: 'id_token', nonce: 'n' }, 'unauthorized_client'],
    ['no scope', { scope: '' }, 'invalid_request'],
    ['a scope without openid', { scope: 'email' }, 'invalid_scope'],
    ['an unknown organization', { scope: 'openid urn:zitadel:iam:org:id:none' }, 'invalid_scope'],
    ['a foreign audience', { scope: 'openid urn:zitadel:iam:org:project:id:lunch:aud' }, 'invalid_scope'],
    ['plain PKCE', { code_challenge: CHALLENGE, code_challenge_method: 'plain' }, 'invalid_request'],
    ['an unknown prompt', { prompt: 'now' }, 'invalid_request'],
    ['a long state', { state: 's'.repeat(2_001) }, 'invalid_request'],
    ['malformed claims', { claims: '{' }, 'invalid_request'],
    ['a request_uri', { request_uri: 'urn:ietf:params:oauth:request_uri:x' }, 'invalid_request'],
  ])('answers %s in JSON, and stores nothing (section 2.3)', async (_what, parameters, error) => {
    const before = await env.redis.dbsize()
    const { status, body } = await push(parameters)
    expect({ status, body }).toEqual({ status: 400, body: { error, error_description: expect.any(String) } })
    expect(await env.redis.dbsize()).toBe(before)
  })

  it('answers a repeated parameter, another method and another content type in JSON', async () => {
    const form = new URLSearchParams(WEB_REQUEST)
    expect(await post(`${form}&scope=openid`, basic)).toMatchObject({ status: 400 })
    expect(await post(`${form}&resource=a&resource=b`, basic)).toMatchObject({
      status: 400,
      body: { error: 'invalid_target' },
    })
    expect(await post('{}', { 'content-type': 'application/json' })).toMatchObject({ status: 400 })
    for (const path of [PAR, `${PAR}/`]) {
      const response = await fetch(`http://127.0.0.1:${env.port}${path}`)
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'OPTIONS, POST'])
      expect(await response.json()).toMatchObject({ error: 'invalid_request' })
    }
  })

  it('is taken from pages of registered origins alone', async () => {
    await asOwner(env.adminUrl, [
      `UPDATE directory.application SET allowed_origins = '{https://spa.localhost}' WHERE client_id = 'spa'`,
    ])
    const form = {
      client_id: 'spa',
      redirect_uri: 'https://spa.localhost/callback',
      code_challenge: CHALLENGE,
    }
    const from = (headers: Parameters) => push({ ...form, code_challenge_method: 'S256' }, headers)
    const registered = { origin: 'https://spa.localhost', 'sec-fetch-site': 'cross-site' }
    await expect.poll(async () => (await from(registered)).status, { interval: 100 }).toBe(201)
    expect((await from(registered)).headers.get('access-control-allow-origin')).toBe('https://spa.localhost')
    for (const headers of [
      { origin: 'https://evil.test' },
      { origin: 'null', 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: `https://${'a'.repeat(400)}.test` },
    ])
      expect(await from(headers)).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
    expect(await from({ origin: env.issuer })).toMatchObject({ status: 201 })
  })

  it('answers every generated request without 5xx', async () => {
    const names = [
      'client_id',
      'client_secret',
      'scope',
      'redirect_uri',
      'claims',
      'request_uri',
      'request',
      'max_age',
    ]
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('web', 'openid', '%00', '\0', '{}', '[]'),
    )
    const pair = fc.tuple(fc.oneof(fc.constantFrom(...names), fc.string()), text)
    await fc.assert(
      fc.asyncProperty(
        fc.array(pair, { maxLength: 6 }),
        fc.boolean(),
        fc.boolean(),
        async (pairs, proven, whole) => {
          const base = whole ? Object.entries(WEB_REQUEST) : []
          const form = [...base, ...pairs].map((one) =>
            one.map((word) => encodeURIComponent(word.toWellFormed())).join('='),
          )
          const { status, body } = await post(form.join('&'), proven ? basic : {})
          expect(status).toBeLessThan(500)
          expect(Object.keys(body)).toContain(status === 201 ? 'request_uri' : 'error')
        },
      ),
      { numRuns: 60 },
    )
  })
})

describe('the request_uri', () => {
  it('is refused for another client, when it is not ours, unknown or changed in Redis', async () => {
    const requestUri = await pushed()
    const browser = env.newBrowser()
    const other = await open(browser, requestUri, { client_id: 'posts' })
    expect(other).toMatchObject({ status: 400, location: '' })
    expect(other.text).toContain('another client')
    expect(await open(browser, requestUri, { client_id: 'nobody' })).toMatchObject({
      status: 400,
      location: '',
    })
    expect(await open(browser, `${requestUri.slice(0, -1)}_`)).toMatchObject({ status: 400, location: '' })
    for (const foreign of ['https://rp.localhost/request.jwt', 'urn:example:1', 'http://169.254.169.254/']) {
      const page = await open(browser, foreign, WEB_REQUEST)
      expect(new URL(page.location).searchParams.get('error')).toBe('request_uri_not_supported')
      expect(await open(browser, foreign)).toMatchObject({ status: 400, location: '' })
    }
    const key = `signet:login:pushed:${requestUri.split(':').at(-1)}`
    expect(await env.redis.ttl(key)).toBeGreaterThan(85)
    expect(await env.redis.ttl(key)).toBeLessThanOrEqual(90)
    const text = await env.redis.get(key)
    await env.redis.set(key, String(text).replace('openid', 'op3nid'))
    expect(await open(browser, requestUri)).toMatchObject({ status: 400, location: '' })
    await env.redis.set(key, String(text))
    expect((await open(browser, requestUri)).text).toContain('Sign in')
  })

  it('gets one response of a signed-in browser that opens it many times at once, on two replicas', async () => {
    const browser = await signedInBrowser()
    const requestUri = await pushed()
    const replica = await env.startReplica()
    const cookie = [...browser.cookies].map((pair) => pair.join('=')).join('; ')
    const views = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        fetch(`http://127.0.0.1:${n % 2 ? replica : env.port}${address(requestUri)}`, {
          headers: { cookie },
          redirect: 'manual',
        }),
      ),
    )
    const codes = views.filter(({ headers }) => headers.get('location')?.includes('code='))
    expect(codes).toHaveLength(1)
    expect(views.filter(({ status }) => status === 400)).toHaveLength(9)
    expect(await open(browser, requestUri)).toMatchObject({ status: 400, location: '' })
  })

  it('is used by the response, not by the first page: a browser opens it twice, and another program before it', async () => {
    const requestUri = await pushed()
    const [preview, browser] = [env.newBrowser(), env.newBrowser()]
    await open(preview, requestUri)
    const first = await open(browser, requestUri)
    const second = await open(browser, requestUri)
    // The page is reloaded, and the person goes back to it.
    for (const page of [first, second]) expect(page.text).toContain('Sign in')
    expect((await env.signIn(browser, second)).get('code')).toMatch(/^code-/)
    const issued = env.fakes.codeRequests.length
    // The other page continues with the session, and gets no second code.
    expect(
      codeOf(
        await browser.follow(
          await browser.submit(first, { login_name: 'user1', password: 'Correct-horse-9' }),
        ),
      ),
    ).toBeNull()
    expect(await open(preview, requestUri)).toMatchObject({ status: 400, location: '' })
    expect(env.fakes.codeRequests).toHaveLength(issued)
  })

  it('stays good for a slow sign-in after its 90 seconds, and cannot be opened any more', async () => {
    const requestUri = await pushed()
    const browser = env.newBrowser()
    const page = await open(browser, requestUri)
    await env.redis.del(`signet:login:pushed:${requestUri.split(':').at(-1)}`)
    const late = await open(env.newBrowser(), requestUri)
    expect(late).toMatchObject({ status: 400, location: '' })
    expect(late.text).toContain('expired')
    expect((await env.signIn(browser, page)).get('code')).toMatch(/^code-/)
  })

  it('can be opened again when the response could not be issued', async () => {
    const browser = await signedInBrowser()
    const requestUri = await pushed()
    env.fakes.away.add('token')
    expect(await open(browser, requestUri)).toMatchObject({ status: 503 })
    env.fakes.away.delete('token')
    expect(codeOf(await open(browser, requestUri))).toMatch(/^code-/)
  })

  it('ends with the refusal of its person', async () => {
    const browser = await signedInBrowser()
    const requestUri = await pushed({ prompt: 'consent' })
    const page = await open(browser, requestUri)
    const refused = await browser.follow(await browser.submit(page, { decision: 'deny' }))
    expect(new URL(refused.location).searchParams.get('error')).toBe('access_denied')
    expect(await open(browser, requestUri)).toMatchObject({ status: 400, location: '' })
  })

  it('comes by POST too, and stores nothing before it is known', async () => {
    const requestUri = await pushed()
    const browser = await signedInBrowser()
    const form = { client_id: 'web', request_uri: requestUri, scope: 'openid phone' }
    const answer = await browser.follow(
      await browser.post('/oauth/v2/authorize', form, { withCookies: false }),
    )
    expect(codeOf(answer)).toMatch(/^code-/)
    const before = await env.redis.dbsize()
    expect(await browser.post('/oauth/v2/authorize', form)).toMatchObject({ status: 400 })
    expect(await env.redis.dbsize()).toBe(before)
  })
})

describe('a client whose requests have to be pushed', () => {
  const plain = { client_id: 'pushes' }
  const invited = { client_id: 'pushes', client_secret: SECRET }

  it('gets an error for a plain request, and a sign-in for a pushed one', async () => {
    const refused = await env.authorize(env.newBrowser(), plain)
    const { searchParams } = new URL(refused.location)
    expect(Object.fromEntries(searchParams)).toMatchObject({
      error: 'invalid_request',
      state: WEB_REQUEST.state,
    })
    const { body } = await push(invited, {})
    const browser = env.newBrowser()
    const page = await open(browser, String(body.request_uri), plain)
    expect((await env.signIn(browser, page)).get('code')).toMatch(/^code-/)
  })

  it('is every client where the instance says so; people still sign in to their account', async () => {
    const set = (value: boolean) =>
      asOwner(env.adminUrl, [`UPDATE directory.setting SET require_pushed_authorization = ${value}`])
    await set(true)
    try {
      const errorOf = async () => {
        const { location } = await env.authorize(env.newBrowser())
        return location === '' ? undefined : new URL(location).searchParams.get('error')
      }
      await expect.poll(errorOf, { interval: 100 }).toBe('invalid_request')
      const browser = env.newBrowser()
      expect((await env.signIn(browser, await open(browser, await pushed()))).get('code')).toMatch(/^code-/)
      const other = env.newBrowser()
      expect((await other.follow(await other.get('/ui/account'))).text).toContain('Sign in')
    } finally {
      await set(false)
    }
  })
})

describe('the bytes of pushed requests are limited', () => {
  const large = { login_hint: 'l'.repeat(3_000), ui_locales: 'u'.repeat(4_000) }
  const untilLimited = async (parameters: Parameters, headers: Parameters) => {
    let stored = 0
    for (;;) {
      const answer = await push({ ...large, ...parameters }, headers)
      if (answer.status !== 201) return { stored, answer }
      stored += 1
    }
  }

  it('for the public clients of a network, whose limit leaves other clients alone', async () => {
    const spa = { client_id: 'spa', redirect_uri: 'https://spa.localhost/callback' }
    const challenge = { code_challenge: CHALLENGE, code_challenge_method: 'S256' }
    const { stored, answer } = await untilLimited({ ...spa, ...challenge }, {})
    expect(answer).toMatchObject({ status: 429, body: { error: 'temporarily_unavailable' } })
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(stored * 7_500).toBeGreaterThan(4_000_000)
    expect(stored * 7_000).toBeLessThan(4.2 * 1024 * 1024)
    expect(await push()).toMatchObject({ status: 201 })
    env.clock.advance(90_000)
    expect(await push({ ...large, ...spa, ...challenge }, {})).toMatchObject({ status: 201 })
  })
})
