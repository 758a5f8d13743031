import { createTestDatabase } from '@signet/testing/postgres-fixture'
import { startTcpRelay } from '@signet/testing/tcp-relay'
import { expect, it, onTestFinished } from 'vitest'
import { silentLogger } from '../../src/logger/logger.ts'
import { watchAvailability } from '../../src/postgres/availability.ts'
import { createDatabaseClock } from '../../src/postgres/database-clock.ts'
import { createPool, type Queryable } from '../../src/postgres/pool.ts'

it('reports postgres after 30 seconds without a success, until a probe succeeds', async () => {
  const server = await createTestDatabase({ migrations: [] })
  onTestFinished(() => server.drop())
  const proxy = await startTcpRelay(server.adminUrl)
  onTestFinished(() => proxy.stop())
  let now = 0
  const pool = createPool({
    url: proxy.through(server.adminUrl),
    applicationName: 'test',
    max: 1,
    elapsed: () => now,
    onIdleError: () => undefined,
  })
  onTestFinished(() => pool.close())
  await pool.query({ name: '', text: 'SELECT 1' })
  expect(proxy.silence()).toBe(1)
  const clock = createDatabaseClock({ logger: silentLogger })
  const availability = watchAvailability({ pool, clock, logger: silentLogger, probeMs: 20 })
  onTestFinished(() => availability.stop())
  now = 29_999
  expect(availability.notReady()).toEqual([])
  now = 30_000
  expect(availability.notReady()).toEqual(['postgres'])
  // The first probe takes its time-out on the silent connection, the second has a new one.
  await expect.poll(() => availability.notReady(), { timeout: 15_000 }).toEqual([])
}, 20_000)

it('reads the clock once for all pools of a process, and each pool before it counts as silent', async () => {
  const server = await createTestDatabase({ migrations: [] })
  onTestFinished(() => server.drop())
  let now = 0
  const pools = ['one', 'other'].map((applicationName) =>
    createPool({ url: server.adminUrl, applicationName, elapsed: () => now, onIdleError: () => undefined }),
  )
  onTestFinished(async () => void (await Promise.all(pools.map((pool) => pool.close()))))
  let ageMs = Number.POSITIVE_INFINITY
  const readers: unknown[] = []
  const clock = {
    ageMs: () => ageMs,
    notReady: () => [],
    async read(database: Queryable) {
      ageMs = 0
      readers.push(database)
      await database.query({ name: '', text: 'SELECT 1' })
    },
  }
  for (const pool of pools) {
    const availability = watchAvailability({ pool, clock, logger: silentLogger, probeMs: 20 })
    onTestFinished(() => availability.stop())
  }
  await expect.poll(() => readers.length).toBe(1)
  now = 10_000
  await expect.poll(() => new Set(readers)).toEqual(new Set(pools))
  expect(readers.length).toBeLessThanOrEqual(3)
  ageMs = 20
  await expect.poll(() => ageMs).toBe(0)
})
