import { type RedisProcess, startRedisProcess } from '@signet/testkit/redis-process'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { newToken, type RevocationWorld, startRevocationWorld } from './fixtures/revocation-world.ts'

const SOON = { timeout: 10_000 }

let world: RevocationWorld
let redis: RedisProcess

beforeEach(async () => {
  redis = await startRedisProcess(['--save', '3600 1'])
  world = await startRevocationWorld()
})

afterEach(async () => {
  await world.stop()
  await redis.drop()
})

async function wholeMirror() {
  const publisher = await world.publisher(redis.url)
  await publisher.untilWhole()
  const reader = await world.reader(redis.url)
  await expect.poll(() => reader.askMirror(newToken()), SOON).toBe(false)
  return { publisher, reader }
}

it('Redis frozen: after 100 ms of silence PostgreSQL answers, at once from then on, and Redis again when it thaws', async () => {
  const { publisher, reader } = await wholeMirror()
  const ended = newToken()
  await publisher.revoke(ended)
  redis.freeze()
  const started = performance.now()
  const first = await Promise.all(Array.from({ length: 20 }, () => reader.isEnded(newToken())))
  const waitedMs = performance.now() - started
  expect(new Set(first)).toEqual(new Set([false]))
  expect(waitedMs).toBeGreaterThanOrEqual(95)
  // A command would be given up after 2 s only: whatever is shorter was the limit on silence.
  expect(waitedMs).toBeLessThan(1_500)
  const before = reader.checksInPostgres()
  const afterwards = performance.now()
  for (let check = 0; check < 20; check += 1) expect(await reader.isEnded(newToken())).toBe(false)
  // Less than the limit each: nobody waits for Redis again.
  expect((performance.now() - afterwards) / 20).toBeLessThan(95)
  expect(reader.checksInPostgres()).toBe(before + 20)
  expect(await reader.isEnded(ended)).toBe(true)
  expect(reader.reports.filter((report) => report.includes('silent'))).toHaveLength(1)
  redis.thaw()
  await expect
    .poll(async () => {
      const asked = reader.checksInPostgres()
      await reader.isEnded(newToken())
      return reader.checksInPostgres() - asked
    }, SOON)
    .toBe(0)
  expect(reader.reports).toContain('recovered')
})
