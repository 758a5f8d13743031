import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Secret } from '@signet/platform/config/settings-fields'
import type { Redis } from 'ioredis'
import { withClient } from './database-names.ts'

const PRELOAD = new URL('./moved-clock.ts', import.meta.url)
/** Longer than a process takes to read the file again. */
const NOTICED_MS = 50
/** Longer than a process takes to read the clock of PostgreSQL again. */
const READ_AGAIN_MS = 1_500
const KEYS_PER_SCAN = 500

export interface MovableClock {
  /** Environment of every Node.js process whose clock is to move. */
  readonly environment: Readonly<Record<string, string>>
  /** Milliseconds by which all clocks are ahead. */
  offsetMs(): number
  /**
   * Moves time on by `ms`, in all processes and databases of the test:
   * - `Date` and `performance.now` of the Node.js processes that have `environment`; their timers are not moved, so
   *   periodic work runs neither more often nor at once;
   * - `now()`, `clock_timestamp()`, `statement_timestamp()` and `transaction_timestamp()` of the PostgreSQL database,
   *   in statements, views and functions; not `CURRENT_TIMESTAMP` and not the server's own use of time;
   * - the expiry of every key in Redis, whose time to live becomes `ms` shorter; not the `TIME` of Redis, so ids of
   *   stream entries made before and after are as close together as they were in real time.
   * Certificates and time-outs of sockets are not aged.
   */
  move(ms: number): Promise<void>
  /** Sets the wall clock of one process ahead of all others by `ms`, negative: behind; 0 sets it right again. */
  setAhead(pid: number, ms: number): Promise<void>
}

/**
 * Prepares the clock of a PostgreSQL database, before its migrations run, so that their views and defaults use it too.
 * `folder` holds the file with the offset.
 */
export async function createMovableClock(options: {
  readonly folder: string
  readonly postgresAdminUrl: Secret
  readonly redis: () => Redis
}): Promise<MovableClock> {
  const file = join(options.folder, 'clock')
  let offsetMs = 0
  const write = async (path: string, ms: number) => {
    await writeFile(`${path}.new`, `${ms}`)
    await rename(`${path}.new`, path)
  }
  await write(file, offsetMs)
  await query(options.postgresAdminUrl, PREPARE)
  const preload = new URL(PRELOAD)
  preload.searchParams.set('file', file)
  return {
    environment: { NODE_OPTIONS: `--import=${preload}` },
    offsetMs: () => offsetMs,
    async move(ms) {
      offsetMs += ms
      await Promise.all([
        write(file, offsetMs),
        query(options.postgresAdminUrl, `UPDATE test_clock.ahead SET ms = ${offsetMs}`),
        ageKeys(options.redis(), ms),
      ])
      await pause(READ_AGAIN_MS)
    },
    async setAhead(pid, ms) {
      await write(`${file}.${pid}`, ms)
      await pause(NOTICED_MS)
    },
  }
}

const FUNCTIONS = [
  ['now', 'STABLE'],
  ['transaction_timestamp', 'STABLE'],
  ['statement_timestamp', 'STABLE'],
  ['clock_timestamp', 'VOLATILE'],
] as const

/** pg_catalog is searched first unless the path names it later. */
const PREPARE = `
  CREATE SCHEMA test_clock;
  CREATE TABLE test_clock.ahead (ms bigint NOT NULL);
  INSERT INTO test_clock.ahead VALUES (0);
  GRANT USAGE ON SCHEMA test_clock TO PUBLIC;
  GRANT SELECT ON test_clock.ahead TO PUBLIC;
  ${FUNCTIONS.map(
    ([name, kind]) => `
  CREATE FUNCTION test_clock.${name}() RETURNS timestamptz LANGUAGE sql ${kind} PARALLEL SAFE AS
    'SELECT pg_catalog.${name}() + (SELECT ms FROM test_clock.ahead) * interval ''1 millisecond''';`,
  ).join('')}
  DO $$ BEGIN EXECUTE format(
    'ALTER DATABASE %I SET search_path = test_clock, pg_catalog, public', current_database()); END $$;
`

const query = (url: Secret, text: string) => withClient(url.reveal(), (client) => client.query(text))

async function ageKeys(redis: Redis, ms: number): Promise<void> {
  let cursor = '0'
  do {
    const [next, keys] = await redis.scan(cursor, 'COUNT', KEYS_PER_SCAN)
    cursor = next
    await Promise.all(
      keys.map(async (key) => {
        const left = await redis.pttl(key)
        if (left < 0) return
        await (left > ms ? redis.pexpire(key, left - ms) : redis.del(key))
      }),
    )
  } while (cursor !== '0')
}
