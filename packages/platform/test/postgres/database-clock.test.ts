import { createTestDatabase } from '@signet/testing/postgres-fixture'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { silentLogger } from '../../src/logger/logger.ts'
import { createDatabaseClock } from '../../src/postgres/database-clock.ts'
import { createPool, type Pool } from '../../src/postgres/pool.ts'

let server: Awaited<ReturnType<typeof createTestDatabase>>
let pool: Pool
beforeAll(async () => {
  server = await createTestDatabase({ migrations: [] })
  pool = createPool({ url: server.adminUrl, applicationName: 'test', max: 1, onIdleError: () => undefined })
})
afterAll(async () => {
  await pool.close()
  await server.drop()
})

const HOUR_MS = 3_600_000

it.each([
  ['ahead by a minute', 60_000],
  ['ahead by two hours', 2 * HOUR_MS],
  ['behind by 30 minutes', -HOUR_MS / 2],
  ['behind by 50 hours', -50 * HOUR_MS],
])(
  'gives the time of PostgreSQL to a process whose wall clock is %s, which is not ready',
  async (_, aheadMs) => {
    const wallClock = () => new Date(Date.now() + aheadMs)
    const clock = createDatabaseClock({ logger: silentLogger, wallClock })
    expect(Math.abs(clock.now().getTime() - wallClock().getTime())).toBeLessThan(1_000)
    await clock.read(pool)
    expect(Math.abs(clock.now().getTime() - Date.now())).toBeLessThan(1_000)
    expect(Math.abs(clock.offsetSeconds() - aheadMs / 1_000)).toBeLessThan(1)
    expect(clock.notReady()).toEqual(['clock'])
  },
)

it('is ready and reports no difference while the clocks agree', async () => {
  const lines: string[] = []
  const log = (line: string) => lines.push(line)
  const clock = createDatabaseClock({ logger: { warn: log, info: log } })
  await clock.read(pool)
  expect(Math.abs(clock.offsetSeconds())).toBeLessThan(0.1)
  expect([clock.notReady(), lines]).toEqual([[], []])
})

it('logs once that the clock differs by more than a second, and once that it agrees again', async () => {
  const lines: string[] = []
  const log = (line: string) => lines.push(line)
  let aheadMs = 1_500
  const wallClock = () => new Date(Date.now() + aheadMs)
  const clock = createDatabaseClock({ logger: { warn: log, info: log }, wallClock })
  await clock.read(pool)
  await clock.read(pool)
  expect([lines, clock.notReady()]).toEqual([['clock_differs'], []])
  aheadMs = 0
  await clock.read(pool)
  expect(lines).toEqual(['clock_differs', 'clock_agrees'])
})

it('passes time on by the monotonic clock when the wall clock jumps between two readings', async () => {
  let aheadMs = 0
  let elapsedMs = 0
  const clock = createDatabaseClock({
    logger: silentLogger,
    wallClock: () => new Date(Date.now() + aheadMs),
    elapsed: () => elapsedMs,
  })
  await clock.read(pool)
  const before = clock.now().getTime()
  aheadMs = 2 * HOUR_MS
  elapsedMs = 500
  expect(clock.now().getTime() - before).toBe(500)
})

it('does not take the time that a reply needs for a difference', async () => {
  let elapsedMs = 0
  const clock = createDatabaseClock({
    logger: silentLogger,
    wallClock: () => new Date(Date.now() + 5_000),
    elapsed: () => elapsedMs,
  })
  const slow = {
    async query<R>(statement: Parameters<Pool['query']>[0]) {
      const rows = await pool.query<R>(statement)
      elapsedMs += 10_000
      return rows
    },
  }
  await clock.read(slow)
  expect([clock.offsetSeconds(), clock.notReady()]).toEqual([0, []])
})
