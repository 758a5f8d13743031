import { connectRedis, createRedis } from '@signet/platform/redis/client'
import type { Redis } from '@signet/platform/redis/connection'
import { startPrivateRedis, type TestRedis } from '@signet/testing/redis-fixture'
import { startSystem } from '@signet/testing/system/start-system'
import { PASSWORD, POST_LOGOUT_URI, REDIRECT_URI } from '@signet/testing/system/test-directory'
import type { TestSystem, Tokens } from '@signet/testing/system/test-system'
import { afterAll, beforeAll, expect, it } from 'vitest'

const FREE_BYTES = 10 * 1024 * 1024
const AT_ONCE = 8
// Four times what fits; a flood that is not stopped fails the test instead of running for ever.
const MOST_REQUESTS = 5_000

const PROVEN = {
  client_id: 'web',
  redirect_uri: REDIRECT_URI,
  response_type: 'code',
  scope: 'openid',
  ui_locales: 'u'.repeat(7_500),
}

let privateRedis: TestRedis
let redis: Redis
let system: TestSystem

beforeAll(async () => {
  privateRedis = await startPrivateRedis()
  redis = createRedis({ url: privateRedis.url, name: 'signet-flood-test', commandTimeoutMs: 20_000 })
  await connectRedis(redis)
  system = await startSystem({
    mode: 'standalone',
    env: {
      SIGNET_REDIS_URL: privateRedis.url.reveal(),
      SIGNET_TRUSTED_PROXIES: '127.0.0.1/32,::1/128',
    },
  })
  await redis.config('SET', 'maxmemory', String((await usedMemory()) + FREE_BYTES))
}, 120_000)
afterAll(async () => {
  await system?.stop()
  redis?.disconnect()
  await privateRedis?.drop()
})

const usedMemory = async () => Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1])

/** Posts the form, each time from the address that `from` names, until the status is another one than `expected`. */
async function flood(
  form: Readonly<Record<string, string>>,
  { expected, requests = MOST_REQUESTS, from }: FloodOptions,
): Promise<number | undefined> {
  let sent = 0
  let other: number | undefined
  const send = async () => {
    while (other === undefined && sent < requests) {
      sent += 1
      const browser = system.newBrowser()
      browser.forwardedFor = from(sent)
      const { status } = await browser.send('/oauth/v2/authorize', form)
      if (status !== expected) other ??= status
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, send))
  return other
}

interface FloodOptions {
  readonly expected: number
  readonly requests?: number
  readonly from: (request: number) => string
}

async function newTokens(): Promise<Tokens> {
  const browser = system.newBrowser()
  browser.forwardedFor = '203.0.113.7'
  return system.tokens({ browser })
}

async function expectRevocation({ access_token }: Tokens): Promise<void> {
  expect(await system.isActive(access_token)).toBe(true)
  expect((await system.revoke('web', access_token)).status).toBe(200)
  expect(await system.isActive(access_token)).toBe(false)
}

async function expectSignOut(tokens: Tokens): Promise<void> {
  expect(await system.isActive(tokens.access_token)).toBe(true)
  const browser = system.newBrowser()
  const request = { id_token_hint: tokens.id_token, post_logout_redirect_uri: POST_LOGOUT_URI }
  const question = await browser.open(`/oidc/v1/end_session?${new URLSearchParams(request)}`)
  const done = await browser.submit(question, {})
  expect(done.headers.get('location')).toBe(POST_LOGOUT_URI)
  expect(await system.isActive(tokens.access_token)).toBe(false)
}

it('stores nothing for a request before its client is proven', {
  timeout: 120_000,
}, async () => {
  const form = { client_id: 'nobody', padding: 'x'.repeat(60_000) }
  const other = await flood(form, { expected: 400, requests: 400, from: () => '198.51.100.1' })
  expect(other).toBeUndefined()
  expect(await redis.keys('signet:login:*')).toEqual([])
  await expectRevocation(await newTokens())
})

it('proven requests of one address end with 429 while people of other addresses sign in', {
  timeout: 120_000,
}, async () => {
  expect(await flood(PROVEN, { expected: 303, from: () => '198.51.100.2' })).toBe(429)
  await expectRevocation(await newTokens())
  await expectSignOut(await newTokens())
})

it('refuses proven requests of many addresses before it refuses started ones, revocation and sign-out', {
  timeout: 120_000,
}, async () => {
  const [toRevoke, toSignOut] = [await newTokens(), await newTokens()]
  const browser = system.newBrowser()
  const { ui_locales: _, ...request } = PROVEN
  const form = await browser.open(`/oauth/v2/authorize?${new URLSearchParams(request)}`)
  const from = (n: number) => `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`
  expect(await flood(PROVEN, { expected: 303, from })).toBe(503)
  const answer = await browser.submit(form, { login_name: 'alice', password: PASSWORD })
  expect(answer.headers.get('location')).toMatch(/[?&]code=/)
  await expectRevocation(toRevoke)
  await expectSignOut(toSignOut)
  expect(await usedMemory(), 'nothing ran into the limit').toBeLessThan(
    Number(/^maxmemory:(\d+)/m.exec(await redis.info('memory'))?.[1]),
  )
})
