import { createTestDatabase } from '@signet/testing/postgres-fixture'
import { startTcpRelay } from '@signet/testing/tcp-relay'
import { expect, it, onTestFinished } from 'vitest'
import { silentLogger } from '../../src/logger/logger.ts'
import { watchAvailability } from '../../src/postgres/availability.ts'
import { createDatabaseClock } from '../../src/postgres/database-clock.ts'
import { createPool } from '../../src/postgres/pool.ts'

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
