import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestEnvironment, type TestEnvironment, WEB_REQUEST } from './setup.ts'

let env: TestEnvironment

beforeAll(async () => {
  env = await startTestEnvironment()
})
afterAll(() => env.stop())
// The storage limit of an address recovers with time; each test starts with the full limit.
beforeEach(() => env.clock.advance(30 * 60_000))

const AUTHORIZE = '/oauth/v2/authorize'
const END_SESSION = '/oidc/v1/end_session'
const UNKNOWN_PARAMETER = { padding: 'x'.repeat(60_000) }
const REQUESTS = 300

interface StoredBytes {
  readonly keys: number
  readonly bytes: number
}

/** The bytes of the Redis database of this test, as Redis reports them for each key. */
async function stored(): Promise<StoredBytes> {
  const keys = await env.redis.keys('*')
  const sizes = await Promise.all(keys.map((key) => env.redis.memory('USAGE', key)))
  return { keys: keys.length, bytes: sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0) }
}

/** The bytes that `send` leaves in Redis. */
async function storedBy(send: () => Promise<unknown>): Promise<StoredBytes> {
  const before = await stored()
  await send()
  const after = await stored()
  return { keys: after.keys - before.keys, bytes: after.bytes - before.bytes }
}

const get = (path: string, parameters: Record<string, string>) =>
  env.newBrowser().get(`${path}?${new URLSearchParams(parameters)}`)
const post = (path: string, parameters: Record<string, string>) =>
  env.newBrowser().post(path, parameters, { withCookies: false })

describe('a request without a proven client and redirect URI stores nothing', () => {
  const unproven: [string, Record<string, string>][] = [
    ['no parameter', {}],
    ['an unknown client', { ...WEB_REQUEST, client_id: 'unknown' }],
    ['an inactive client', { ...WEB_REQUEST, client_id: 'asleep' }],
    ['no redirect URI', { ...WEB_REQUEST, redirect_uri: '' }],
    ['a redirect URI of another client', { ...WEB_REQUEST, redirect_uri: 'https://spa.localhost/callback' }],
  ]
  it.each(unproven)('authorize with %s, by GET and by POST', async (_what, parameters) => {
    const left = await storedBy(async () => {
      expect((await get(AUTHORIZE, parameters)).status).toBe(400)
      expect((await post(AUTHORIZE, { ...parameters, ...UNKNOWN_PARAMETER })).status).toBe(400)
    })
    expect(left).toEqual({ keys: 0, bytes: 0 })
  })

  const signOuts: [string, Record<string, string>][] = [
    ['no parameter', {}],
    ['a client_id', { client_id: 'web', post_logout_redirect_uri: 'https://rp.localhost/bye', state: 's' }],
    ['an unknown client', { client_id: 'unknown' }],
  ]
  it.each(signOuts)('end_session with %s, by GET and by POST', async (_what, parameters) => {
    const left = await storedBy(async () => {
      const browser = env.newBrowser()
      await browser.follow(await browser.get(`${END_SESSION}?${new URLSearchParams(parameters)}`))
      await browser.follow(await browser.post(END_SESSION, { ...parameters, ...UNKNOWN_PARAMETER }))
    })
    expect(left).toEqual({ keys: 0, bytes: 0 })
  })
})

describe('a proven request stores only its known parameters', () => {
  const typical = { ...WEB_REQUEST, scope: 'openid profile email', nonce: 'n'.repeat(43) }
  const largest = {
    ...typical,
    state: 's'.repeat(2_000),
    login_hint: 'l'.repeat(3_000),
    ui_locales: 'u'.repeat(2_800),
  }
  const budgets: [string, string, Record<string, string>, number][] = [
    ['GET', 'a typical request', typical, 1_024],
    ['POST', 'a typical request', typical, 1_024],
    [
      'POST',
      'a typical request and 60 KB of unknown parameters',
      { ...typical, ...UNKNOWN_PARAMETER },
      1_024,
    ],
    ['GET', 'the largest request', largest, 12_288],
    ['POST', 'the largest request', largest, 12_288],
  ]
  it.each(budgets)('%s of %s stores at most this many bytes', async (method, _what, parameters, budget) => {
    const send = method === 'GET' ? get : post
    const left = await storedBy(async () => {
      for (let request = 0; request < REQUESTS; request += 1) {
        expect((await send(AUTHORIZE, parameters)).status).toBe(303)
      }
    })
    expect(left.keys).toBe(REQUESTS)
    expect(left.bytes / REQUESTS).toBeLessThan(budget)
  })

  it.each([
    ['GET', get],
    ['POST', post],
  ])('%s with more than 8 KB of known parameters sends an error to the client', async (_method, send) => {
    const left = await storedBy(async () => {
      const answer = await send(AUTHORIZE, { ...typical, ui_locales: 'u'.repeat(8_200) })
      expect(new URL(answer.location).searchParams.get('error')).toBe('invalid_request')
    })
    expect(left).toEqual({ keys: 0, bytes: 0 })
  })

  it.each([
    ['request', 'request_not_supported'],
    ['request_uri', 'request_uri_not_supported'],
    ['max_age', 'invalid_request'],
  ])('POST with a refused %s stores nothing', async (name, error) => {
    const left = await storedBy(async () => {
      const answer = await post(AUTHORIZE, { ...typical, [name]: 'x' })
      expect(new URL(answer.location).searchParams.get('error')).toBe(error)
    })
    expect(left).toEqual({ keys: 0, bytes: 0 })
  })
})

it('stores 4 MiB of one address at once and 4 MiB more in each half hour, and sends Retry-After', async () => {
  const parameters = { ...WEB_REQUEST, ui_locales: 'u'.repeat(8_000) }
  const statuses = new Set<number>()
  const send = async () => {
    const { status } = await post(AUTHORIZE, parameters)
    statuses.add(status)
    return status
  }
  const atOnce = await storedBy(async () => {
    for (let request = 0; request < 520; request += 1) await send()
  })
  expect([...statuses]).toEqual([303, 429])
  expect(atOnce.bytes).toBeGreaterThan(4_000_000)
  expect(atOnce.bytes).toBeLessThan(6_000_000)
  // A request in two seconds for five minutes: a sixth of half an hour.
  const later = await storedBy(async () => {
    for (let request = 0; request < 150; request += 1) {
      env.clock.advance(2_000)
      await send()
    }
  })
  expect(later.bytes).toBeGreaterThan(600_000)
  expect(later.bytes).toBeLessThan(1_000_000)
  const refused = await get(AUTHORIZE, parameters)
  expect(refused.status).toBe(429)
  expect(refused.headers['retry-after']).toMatch(/^\d+$/)
  expect(refused.text).toContain('Too many sign-ins were begun from this network address')
  env.clock.advance(Number(refused.headers['retry-after']) * 1_000)
  expect((await get(AUTHORIZE, parameters)).status).toBe(303)
  env.clock.advance(30 * 60_000)
  for (let request = 0; request < 100; request += 1) expect(await send()).toBe(303)
})

describe('end_session by POST', () => {
  it('redirects with its known parameters in the query', async () => {
    const parameters = { client_id: 'web', state: 'a&b', ui_locales: 'de' }
    const answer = await post(END_SESSION, { ...parameters, ...UNKNOWN_PARAMETER })
    expect(answer.status).toBe(303)
    const { pathname, searchParams } = new URL(answer.location, env.issuer)
    expect(pathname).toBe(END_SESSION)
    expect(Object.fromEntries(searchParams)).toEqual(parameters)
  })

  it('rejects known parameters that are too long for a query', async () => {
    const answer = await post(END_SESSION, { state: 's'.repeat(8_001) })
    expect(answer).toMatchObject({ status: 400, location: '' })
    expect(answer.text).toContain('sign-out request that cannot be granted')
  })
})
