import { request } from 'node:http'
import { RecoveryService } from '@signet/grpc/gen/directory/v1/recovery_service_pb'
import { rpcService } from '@signet/grpc/service'
import { CONSUMER_PREFIXES } from '@signet/protocol/assertion-consumer'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PATHS } from '../src/pages/paths.ts'
import type { TestBrowser } from './browser.ts'
import { PASSWORD } from './fake-services.ts'
import { startTestEnvironment, type TestEnvironment, WEB_REQUEST } from './setup.ts'

const recoveryCalls: string[] = []
const LIMIT = 40
let env: TestEnvironment
let signedIn: TestBrowser

beforeAll(async () => {
  const count = (call: string) => async () => {
    recoveryCalls.push(call)
    return {}
  }
  env = await startTestEnvironment({
    signInLimit: LIMIT,
    directoryServices: [
      rpcService(RecoveryService, {
        requestPasswordReset: count('requestPasswordReset'),
        checkMailToken: count('checkMailToken'),
        setPassword: count('setPassword'),
        verifyEmail: count('verifyEmail'),
        notifyNewSignIn: async () => ({}),
      }),
    ],
  })
  signedIn = env.newBrowser()
  await env.signIn(signedIn, await env.authorize(signedIn))
})
afterAll(() => env.stop())

const OF_CLIENTS: readonly string[] = [
  PATHS.authorize,
  PATHS.pushedAuthorization,
  PATHS.deviceAuthorization,
  PATHS.endSession,
  PATHS.upstreamCallback,
  PATHS.upstreamSingleLogout,
  ...CONSUMER_PREFIXES.map((prefix) => `${prefix}/*path`),
]

/** Every path that answers POST, but those that clients and identity providers post to. */
const forms = () =>
  env.routes
    .filter(({ methods }) => methods.includes('POST'))
    .map(({ path }) => path)
    .filter((path) => !OF_CLIENTS.includes(path))

const VALUES = {
  login_name: 'user1',
  password: PASSWORD,
  token: 'ABCD-EFGH-JKMN',
  address: 'a@example.com',
  code: '123456',
}

const FOREIGN = [
  { 'sec-fetch-site': 'cross-site', origin: 'https://evil.test' },
  { 'sec-fetch-site': 'cross-site', origin: 'null' },
  { 'sec-fetch-site': 'same-site', origin: 'http://localhost:3000' },
  { 'sec-fetch-site': 'cross-site' },
  { origin: 'https://evil.test' },
  { origin: 'http://localhost:8081' },
]

const stored = async () => {
  const keys = (await env.redis.keys('*')).sort()
  return Promise.all(keys.map(async (key) => [key, await env.redis.dump(key)]))
}

describe('a form of another origin', () => {
  it('is refused at every path that answers POST, has no effect and counts for no limit', async () => {
    const paths = forms()
    expect(paths.length).toBeGreaterThan(25)
    const before = await stored()
    for (const path of paths) {
      for (const sentFrom of FOREIGN) {
        signedIn.sentFrom = sentFrom
        const answer = await signedIn.post(path, VALUES)
        expect([path, answer.status]).toEqual([path, 403])
        expect(answer.text).toContain('Another website sent this request.')
        expect(answer.headers).not.toHaveProperty('set-cookie')
      }
    }
    signedIn.sentFrom = {}
    expect(await stored()).toEqual(before)
    expect(recoveryCalls).toEqual([])
    expect(paths.length * FOREIGN.length).toBeGreaterThan(LIMIT)
    expect((await signedIn.get(PATHS.first)).status).toBe(200)
  })

  it('is refused without the token of its page where the browser sends neither origin nor site', async () => {
    for (const path of forms()) {
      env.clock.advance(1_000)
      signedIn.sentFrom = { origin: 'null' }
      const answer = await signedIn.post(path, VALUES)
      expect([path, answer.status]).toEqual([path, 400])
    }
    signedIn.sentFrom = {}
    expect(recoveryCalls).toEqual([])
  })
})

it('answers the forms of its own pages with each header that a browser sends there', async () => {
  for (const sentFrom of [{ 'sec-fetch-site': 'same-origin', origin: 'null' }, { origin: env.issuer }, {}]) {
    env.clock.advance(1_000)
    const browser = env.newBrowser()
    browser.sentFrom = sentFrom
    const page = await browser.get(PATHS.forgot)
    expect((await browser.submit(page, { login_name: 'user1' })).status).toBe(200)
  }
  expect(recoveryCalls).toEqual(Array(3).fill('requestPasswordReset'))
})

/** The status of a request with exactly these headers: `fetch` adds a `sec-fetch-mode` of its own. */
function statusOf(path: string, headers: Readonly<Record<string, string>>, form?: Record<string, string>) {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
  const sent = request({
    port: env.port,
    path,
    method: form === undefined ? 'GET' : 'POST',
    headers: { ...headers, ...(form && { 'content-type': 'application/x-www-form-urlencoded' }) },
  })
  sent.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject)
  sent.end(form && `${new URLSearchParams(form)}`)
  return promise
}

it('answers authorization and sign-out requests that clients post from their own pages', async () => {
  const headers = {
    'sec-fetch-site': 'cross-site',
    'sec-fetch-mode': 'navigate',
    origin: 'https://rp.localhost',
  }
  for (const path of [PATHS.authorize, PATHS.endSession]) {
    expect([path, await statusOf(path, headers, WEB_REQUEST)]).toEqual([path, 303])
  }
})

it('stores nothing for a sign-in that another site loads as an image', async () => {
  const before = await stored()
  const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }
  expect(await statusOf(`${PATHS.authorize}?${new URLSearchParams(WEB_REQUEST)}`, headers)).toBe(403)
  expect(await stored()).toEqual(before)
})
