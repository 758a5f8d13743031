import { afterEach, beforeEach, expect, it } from 'vitest'
import { type MirrorWorld, SOON, startMirrorWorld } from './fixtures/mirror-world.ts'
import { newToken } from './fixtures/revocation-world.ts'

let world: MirrorWorld
beforeEach(async () => {
  world = await startMirrorWorld()
})
afterEach(() => world.stop())

it('Redis frozen: after 100 ms of silence PostgreSQL answers, at once from then on, and Redis again when it thaws', async () => {
  const { publisher, reader } = await world.whole()
  const ended = newToken()
  await publisher.revoke(ended)
  world.redis.freeze()
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
  world.redis.thaw()
  await expect
    .poll(async () => {
      const asked = reader.checksInPostgres()
      await reader.isEnded(newToken())
      return reader.checksInPostgres() - asked
    }, SOON)
    .toBe(0)
  expect(reader.reports).toContain('recovered')
})
