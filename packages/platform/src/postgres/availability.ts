import { createLoggedRound, type Logger } from '../logger/logger.ts'
import { repeat } from '../runtime/clock.ts'
import type { DatabaseClock } from './database-clock.ts'
import { type Migrations, migrationFiles } from './migration-files.ts'
import type { Pool, Queryable } from './pool.ts'

export interface Availability {
  /**
   * `postgres` from the time on that no statement has succeeded for too long, until one does; `clock` while the wall clock of
   * the process is away from that of PostgreSQL.
   */
  notReady(): readonly string[]
  stop(): Promise<void>
}

interface AvailabilityOptions {
  readonly pool: Pool
  /** Reads the time of this server. */
  readonly clock: Pick<DatabaseClock, 'read' | 'ageMs' | 'notReady'>
  readonly logger: Logger
  /** Number of milliseconds without PostgreSQL for which the service still is of use; by default 30,000. */
  readonly toleratedMs?: number
  /** Milliseconds between two readings of the clock; 1,000 when left out. */
  readonly probeMs?: number
}

/**
 * Measures for how long no statement of a pool succeeded, and reads the clock of PostgreSQL each second: by this pool, unless another
 * pool of the process just did and this one had an answer in a third of the tolerated time. An outage is logged when it begins and when it
 * ends.
 */
export function watchAvailability(options: AvailabilityOptions): Availability {
  const { pool, clock, logger, toleratedMs = 30_000, probeMs = 1_000 } = options
  const round = createLoggedRound(
    async () => {
      // A timer may be early by a millisecond.
      const isDue = clock.ageMs() >= probeMs - 5 || pool.silentMs() >= toleratedMs / 3
      if (isDue) await clock.read(pool)
    },
    (error) => logger.warn('database_unreachable', { error }),
    () => logger.info('database_reachable'),
  )
  const rounds = repeat(probeMs, round, () => undefined)
  return {
    notReady: () => [...(pool.silentMs() >= toleratedMs ? ['postgres'] : []), ...clock.notReady()],
    stop: () => rounds.stop(),
  }
}

/**
 * Logs a warning when PostgreSQL reports a commit before it is on disk, whether by a setting of the server, the database
 * or the role. For the service that promises that what it ended stays ended.
 */
export async function warnUnlessDurable(database: Queryable, logger: Logger): Promise<void> {
  const { rows } = await database.query<{ level: string }>({
    name: 'durability.synchronous_commit',
    text: `SELECT current_setting('synchronous_commit') AS level`,
  })
  if (rows[0]?.level !== 'off') return
  logger.warn('synchronous_commit_off', {
    reason:
      'a crash of PostgreSQL loses the commits of its last moments: what was revoked or signed out in them is valid again; set synchronous_commit to on',
  })
}

/**
 * Rejects until every migration of this release has been applied. Later migrations are accepted: old and new replicas
 * run side by side during an upgrade. Runs as the owning role.
 */
export async function requireMigrated(database: Queryable, migrations: Migrations): Promise<void> {
  const { schema } = migrations
  const known = (await migrationFiles(migrations)).map(({ name }) => name)
  const { rows } = await database.query<{ name: string }>({
    name: 'schema_migration.all',
    text: `SELECT name FROM ${schema}.schema_migration`,
  })
  const applied = new Set(rows.map(({ name }) => name))
  const missing = known.filter((name) => !applied.has(name)).sort()
  if (missing.length > 0) throw new Error(`migrations of ${schema} are missing: ${missing.join(', ')}`)
}
