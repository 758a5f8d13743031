import { randomBytes } from 'node:crypto'
import { connectRedis, createRedis } from '@signet/platform/redis/client'
import type { Redis } from '@signet/platform/redis/connection'
import { createTestRedis, startPrivateRedis } from '@signet/testing/redis-fixture'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createThrottleRepository } from '../src/sign-in/throttle.repository.ts'
import {
  type AttemptResult,
  type AttemptRule,
  type AttemptStore,
  createSignInThrottle,
} from '../src/sign-in/throttle.ts'
import { createFallbackAttemptStore, createMemoryAttemptStore } from '../src/sign-in/throttle-fallback.ts'

const DELAY: AttemptRule = { kind: 'delay', free: 2, longestDelaySeconds: 4, expireAfterSeconds: 60 }
const WINDOW: AttemptRule = { kind: 'window', free: 2, expireAfterSeconds: 60 }
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
  ['in Redis', () => createThrottleRepository(redis, randomBytes)],
  ['in the process', () => createMemoryAttemptStore()],
])('counters of attempts %s', (_where, create) => {
  function start(rule: AttemptRule) {
    const store = create()
    own += 1
    const key = `test:${own}`
    const begin = (seconds: number, subject = 'a') => store.begin({ key, subject, rule }, at(seconds))
    /** An attempt that finishes at once: its result, `wait`, or the seconds to wait. */
    async function attempt(seconds: number, result: AttemptResult = 'failed', subject = 'a') {
      const begun = await begin(seconds, subject)
      if (begun.outcome === 'wait') return 'wait'
      if (begun.outcome === 'refused') return begun.retryAfterSeconds
      await begun.finish(result, at(seconds))
      return result
    }
    async function running(seconds: number, subject = 'a') {
      const begun = await begin(seconds, subject)
      if (begun.outcome !== 'started') throw new Error(begun.outcome)
      return begun
    }
    return { store, key, begin, attempt, running }
  }

  it('double the delay after the free failures; refused attempts do not extend it', async () => {
    const { attempt } = start(DELAY)
    const outcomes: unknown[] = []
    for (const seconds of [0, 0, 0, 0.5, 1, 2.9, 3, 6.9, 7, 10.9, 11]) outcomes.push(await attempt(seconds))
    expect(outcomes).toEqual([...['failed', 'failed', 1, 1, 'failed', 1, 'failed', 1, 'failed', 1, 'failed']])
  })

  it('return the remaining seconds of the delay', async () => {
    const { attempt } = start({ ...DELAY, longestDelaySeconds: 900 })
    for (const seconds of [0, 0, 1, 3, 7, 15]) await attempt(seconds)
    expect([await attempt(15.5), await attempt(30.9)]).toEqual([16, 1])
  })

  it('reset the failures of a delay after a success', async () => {
    const { attempt } = start(DELAY)
    await attempt(0)
    await attempt(0)
    expect(await attempt(1, 'succeeded')).toBe('succeeded')
    expect([await attempt(1), await attempt(1), await attempt(1)]).toEqual(['failed', 'failed', 1])
  })

  it('ignore an attempt that verified nothing', async () => {
    const { attempt } = start(DELAY)
    for (let count = 0; count < 5; count += 1) expect(await attempt(0, 'void')).toBe('void')
    expect(await attempt(0)).toBe('failed')
  })

  it('make an attempt wait for running attempts instead of counting them as failures', async () => {
    const { attempt, running } = start(DELAY)
    const [first, second] = [await running(0), await running(0)]
    expect(await attempt(0)).toBe('wait')
    await first.finish('succeeded', at(0))
    expect(await attempt(0, 'succeeded')).toBe('succeeded')
    await second.finish('succeeded', at(0))
  })

  it('allow one attempt at a time after the delay', async () => {
    const { attempt, running } = start(DELAY)
    await attempt(0)
    await attempt(0)
    const only = await running(1)
    expect(await attempt(1)).toBe('wait')
    await only.finish('failed', at(1))
    expect(await attempt(1)).toBe(2)
  })

  it('drop an attempt that never finishes', async () => {
    const { attempt, running } = start(DELAY)
    await running(0)
    await running(0)
    expect(await attempt(29)).toBe('wait')
    expect(await attempt(30)).toBe('failed')
  })

  it('count each subject of a window once and refuse all subjects when the window is full', async () => {
    const { attempt } = start(WINDOW)
    const outcomes: unknown[] = []
    for (let count = 0; count < 5; count += 1) outcomes.push(await attempt(0, 'failed', 'a'))
    outcomes.push(await attempt(10, 'failed', 'b'))
    outcomes.push(await attempt(20, 'failed', 'c'), await attempt(20, 'failed', 'a'))
    expect(outcomes).toEqual([...Array(6).fill('failed'), 40, 40])
    expect(await attempt(60, 'failed', 'c')).toBe('failed')
  })

  it('let as many subjects of a window fail again in each window that passes', async () => {
    const { attempt } = start(WINDOW)
    const outcomes: unknown[] = []
    for (let seconds = 0; seconds < 140; seconds += 10) {
      outcomes.push(await attempt(seconds, 'failed', `name ${seconds}`))
    }
    const window = ['failed', 'failed', 40, 30, 20, 10]
    expect(outcomes).toEqual([...window, ...window, 'failed', 'failed'])
  })

  it('remove a subject from a window after its success', async () => {
    const { attempt } = start(WINDOW)
    await attempt(0, 'failed', 'a')
    await attempt(0, 'succeeded', 'a')
    await attempt(0, 'failed', 'b')
    expect(await attempt(0, 'failed', 'c')).toBe('failed')
    expect(await attempt(0, 'failed', 'd')).toBe(60)
  })

  it('are empty after clear', async () => {
    const { store, key, attempt } = start(DELAY)
    await attempt(0)
    await attempt(0)
    await store.clear(key)
    expect(await attempt(0)).toBe('failed')
  })
})

const throttle = (store: AttemptStore) =>
  createSignInThrottle({ store, networkOf: (address) => address, now: () => at(0) })

const itself = <T>(value: T) => value

it('applies limits in the process while Redis is unavailable [F-33]', async () => {
  const server = await startPrivateRedis()
  const connection = createRedis({ url: server.url, name: 'attempts' })
  await connectRedis(connection)
  const shared = createThrottleRepository(connection, randomBytes)
  const attempt = throttle(createFallbackAttemptStore(shared, createMemoryAttemptStore()))
  const tried = { counter: 'password:user1', freeFailures: 5, clientAddress: '::1' }
  await attempt(
    tried,
    async () => {
      // Redis becomes unavailable while the password is verified.
      await server.drop()
      return undefined
    },
    itself,
  )
  const kinds: string[] = []
  for (let count = 0; count < 6; count += 1)
    kinds.push((await attempt(tried, async () => undefined, itself)).kind)
  expect(kinds).toEqual(['failed', 'failed', 'failed', 'failed', 'throttled', 'throttled'])
  connection.disconnect()
})

it('allows as many guesses to concurrent attempts as to sequential ones [F-33]', async () => {
  const attempt = throttle(createMemoryAttemptStore())
  let guesses = 0
  const outcomes = await Promise.all(
    Array.from({ length: 50 }, () =>
      attempt(
        { counter: 'password:user1', freeFailures: 5 },
        async () => {
          guesses += 1
          await new Promise(setImmediate)
          return undefined
        },
        itself,
      ),
    ),
  )
  expect(guesses).toBe(5)
  expect(outcomes.filter(({ kind }) => kind === 'throttled')).toHaveLength(45)
})

it('refuses an attempt that waited too long for others', async () => {
  let pauses = 0
  const attempt = createSignInThrottle({
    store: createMemoryAttemptStore(),
    networkOf: (address) => address,
    now: () => at(0),
    pause: async () => {
      pauses += 1
    },
  })
  const { promise: never } = Promise.withResolvers<undefined>()
  const tried = { counter: 'password:user1', freeFailures: 1 }
  void attempt(tried, () => never, itself)
  expect(await attempt(tried, async () => 'right', itself)).toEqual({
    kind: 'throttled',
    by: 'account',
    retryAfterSeconds: 1,
  })
  expect(pauses).toBe(100)
})

it('counts a success when it is used, and at the end also where its use fails', async () => {
  const attempt = throttle(createMemoryAttemptStore())
  const tried = { counter: 'password:user1', freeFailures: 2 }
  const fail = () => attempt(tried, async () => undefined, itself)
  const right = async () => 'right'
  await fail()
  await attempt(tried, right, async (_, succeed) => {
    await Promise.all([succeed(), succeed()])
    // Not running any more, so both failures are free again.
    expect([await fail(), await fail()]).toEqual([{ kind: 'failed' }, { kind: 'failed' }])
    expect((await fail()).kind).toBe('throttled')
  })
  const other = { counter: 'password:user2', freeFailures: 1 }
  await expect(
    attempt(other, right, () => {
      throw new Error('no session')
    }),
  ).rejects.toThrow('no session')
  expect(await attempt(other, right, itself)).toEqual({ kind: 'verified', value: 'right' })
})

it('starts under both limits or none', async () => {
  const store = createMemoryAttemptStore()
  const attempt = throttle(store)
  const fail = (counter: string) =>
    attempt({ counter, freeFailures: 1, clientAddress: '::1' }, async () => undefined, itself)
  for (let user = 0; user < 100; user += 1) await fail(`password:${user}`)
  expect(await fail('password:other')).toMatchObject({ kind: 'throttled', by: 'network' })
  const fromElsewhere = { counter: 'password:other', freeFailures: 1, clientAddress: '::2' }
  expect(await attempt(fromElsewhere, async () => 'right', itself)).toMatchObject({ kind: 'verified' })
})
