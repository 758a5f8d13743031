import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type EmbeddedPostgres, startPostgres } from '@signet/dev-stack/databases/postgres'
import { withClient } from '@signet/testing/database-names'
import { startPrivateRedis, type TestRedis } from '@signet/testing/redis-fixture'
import { watchRedis } from '@signet/testing/system/redis-monitor'
import type { StandaloneSystem } from '@signet/testing/system/standalone-system'
import { startSystem } from '@signet/testing/system/start-system'
import { temporaryFolder } from '@signet/testing/temporary-folder'
import { afterAll, beforeAll, expect, it } from 'vitest'

const SECONDS = 20
/** The heads of empty audit logs are signed and the first partitions made by then. */
const SETTLED_MS = 8_000
/** Most statements, and most commands, in a second. */
const MOST = 10

let folder: string
let postgres: EmbeddedPostgres
let redis: TestRedis
let system: StandaloneSystem
beforeAll(async () => {
  folder = await temporaryFolder('idle')
  ;[postgres, redis] = await Promise.all([
    startPostgres({ dataDirectory: folder, durable: false }),
    startPrivateRedis(),
  ])
  await withClient(postgres.url.reveal(), async (client) => {
    await client.query("ALTER SYSTEM SET log_statement = 'all'")
    await client.query('SELECT pg_reload_conf()')
  })
  const env = { SIGNET_POSTGRES_URL: postgres.url.reveal(), SIGNET_REDIS_URL: redis.url.reveal() }
  system = await startSystem({ mode: 'standalone', env })
})
afterAll(async () => {
  await system?.stop()
  await redis?.drop()
  await postgres?.discard()
})

it(`sends at most ${MOST} statements and ${MOST} commands a second while nothing happens`, async () => {
  await pause(SETTLED_MS)
  const log = () => readFile(join(folder, 'postgres.log'), 'utf8')
  const before = (await log()).length
  const monitor = await watchRedis(redis.url)
  await pause(SECONDS * 1_000)
  const commands = monitor.commands().map((command) => command.split(/\s/, 1)[0] ?? '')
  monitor.stop()
  const statements = (await log())
    .slice(before)
    .split('\n')
    .flatMap((line) => /LOG: {2}(?:execute|statement:) (\S+)/.exec(line)?.[1] ?? [])
  expect(statements.length, countsOf(statements)).toBeGreaterThan(SECONDS)
  expect(statements.length / SECONDS, countsOf(statements)).toBeLessThanOrEqual(MOST)
  expect(commands.length / SECONDS, countsOf(commands)).toBeLessThanOrEqual(MOST)
})

/** The names, each with how often it occurs in a second, for the message of a failure. */
function countsOf(names: readonly string[]): string {
  const counts = Map.groupBy(names, (name) => name)
  const lines = [...counts].map(([name, all]) => `${all.length / SECONDS} ${name}`)
  return lines.toSorted((a, b) => Number.parseFloat(b) - Number.parseFloat(a)).join('\n')
}
