import { connectRedis, createRedis, type Redis } from '@signet/redis/client'
import { createTestRedis, startPrivateRedis } from '@signet/testkit/redis-fixture'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRedisAttemptStore } from '../src/stores/redis-attempt-store.ts'
import type { AttemptRule } from '../src/throttling/attempt-rule.ts'
import type { AttemptStore } from '../src/throttling/attempt-store.ts'
import { createMemoryAttemptStore } from '../src/throttling/memory-attempt-store.ts'
import { createSignInThrottle } from '../src/throttling/sign-in-throttle.ts'
import { createSurvivingAttemptStore } from '../src/throttling/surviving-attempt-store.ts'

const DELAY: AttemptRule = { free: 2, longestDelaySeconds: 4, forgetAfterSeconds: 60 }
const WINDOW: AttemptRule = { free: 2, longestDelaySeconds: 'until-forgotten', forgetAfterSeconds: 60 }
const at = (seconds: number) => new Date(1_900_000_000_000 + seconds * 1000)

let redis: Redis
let stop: () => Promise<void>
let own = 0

beforeAll(async () => {
  const server = await createTestRedis()
  redis = createRedis({ url: server.url, name: 'attempts', commandTimeoutMs: 20_000 })
  await connectRedis(redis)
  stop = () => server.drop()
})
afterAll(async () => {
  redis?.disconnect()
  await stop?.()
})

describe.each<[string, () => AttemptStore]>([
  ['in Redis', () => createRedisAttemptStore(redis)],
  ['in the process', () => createMemoryAttemptStore()],
])('attempts counted %s', (_where, create) => {
  const start = () => {
    const store = create()
    own += 1
    const key = `test:${own}`
    return { store, key, takes: (rule: AttemptRule, seconds: number) => store.take(key, rule, at(seconds)) }
  }

  it('delays double after the free ones, and refused tries do not prolong them', async () => {
    const { takes } = start()
    expect([await takes(DELAY, 0), await takes(DELAY, 0), await takes(DELAY, 0)]).toEqual([true, true, false])
    expect([await takes(DELAY, 0.5), await takes(DELAY, 1)]).toEqual([false, true])
    expect([await takes(DELAY, 2.9), await takes(DELAY, 3)]).toEqual([false, true])
    expect([await takes(DELAY, 6.9), await takes(DELAY, 7)]).toEqual([false, true])
    expect([await takes(DELAY, 10.9), await takes(DELAY, 11)]).toEqual([false, true])
  })

  it('a window lets nothing through once it is full', async () => {
    const { takes } = start()
    expect([await takes(WINDOW, 0), await takes(WINDOW, 1), await takes(WINDOW, 59)]).toEqual([
      true,
      true,
      false,
    ])
  })

  it('what is given back does not count, what is cleared counts no more', async () => {
    const { store, key, takes } = start()
    await store.giveBack(key)
    await takes(WINDOW, 0)
    await takes(WINDOW, 0)
    await store.giveBack(key)
    expect([await takes(WINDOW, 1), await takes(WINDOW, 1)]).toEqual([true, false])
    await store.clear(key)
    expect(await takes(WINDOW, 2)).toBe(true)
  })
})

it('what is counted in the process is forgotten in time', async () => {
  const store = createMemoryAttemptStore()
  for (const second of [0, 10]) await store.take('w', WINDOW, at(second))
  for (const second of [0, 10]) await store.take('d', DELAY, at(second))
  expect(await store.take('w', WINDOW, at(59.9))).toBe(false)
  expect(await store.take('w', WINDOW, at(60))).toBe(true)
  expect(await store.take('w', WINDOW, at(60))).toBe(true)
  expect(await store.take('w', WINDOW, at(60))).toBe(false)
})

it('F-33: limits hold in the process while Redis is away', async () => {
  const server = await startPrivateRedis()
  const connection = createRedis({ url: server.url, name: 'attempts' })
  await connectRedis(connection)
  const shared = createRedisAttemptStore(connection)
  const attempt = createSignInThrottle(createSurvivingAttemptStore(shared, createMemoryAttemptStore()), () =>
    at(0),
  )
  await server.drop()
  const verdicts: boolean[] = []
  for (let count = 0; count < 7; count += 1) {
    const who = {
      account: { kind: 'password', name: 'alice' },
      freeFailures: 5,
      clientAddress: '::1',
    } as const
    await attempt(who, async (throttled) => void verdicts.push(throttled))
  }
  expect(verdicts).toEqual([false, false, false, false, false, true, true])
  connection.disconnect()
})

it('addresses of one IPv6 network share a limit, others and IPv4 addresses do not', async () => {
  const attempt = createSignInThrottle(createMemoryAttemptStore(), () => at(0))
  let made = 0
  const from = async (clientAddress: string) => {
    made += 1
    const account = { kind: 'password', name: `name-${made}` } as const
    let wasAsked = false
    await attempt({ account, freeFailures: 5, clientAddress }, async () => {
      wasAsked = true
      return undefined
    })
    return wasAsked
  }
  for (let host = 1; host <= 100; host += 1) await from(`2001:db8::${host.toString(16)}`)
  expect(await from('2001:0DB8:0:0:1:2:3:4')).toBe(false)
  expect(await from('2001:db8::ffff')).toBe(false)
  expect(await from('2001:db8:0:1::1')).toBe(true)
  expect(await from('::1')).toBe(true)
  expect(await from('127.0.0.1')).toBe(true)
})
