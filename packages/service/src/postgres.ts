import { type Environment, readSettings } from '@signet/platform/config/settings'
import { warnIfUnprotected } from '@signet/platform/config/store-protection'
import { watchedUrl } from '@signet/platform/config/watched-url'
import type { Metrics } from '@signet/platform/metrics/metrics'
import { requireMigrated, watchAvailability } from '@signet/platform/postgres/availability'
import type { DatabaseClock } from '@signet/platform/postgres/database-clock'
import type { Migrations } from '@signet/platform/postgres/migration-files'
import { createPool, type Database, type Pool } from '@signet/platform/postgres/pool'
import { tracedDatabase } from '@signet/platform/postgres/traced-database'
import type { Resource } from './resources.ts'

const SETTINGS = [
  'SIGNET_POSTGRES_URL',
  'SIGNET_POSTGRES_POOL_SIZE',
  'SIGNET_POSTGRES_NAMED_STATEMENTS',
] as const

interface PostgresOptions {
  /**
   * Number of milliseconds without PostgreSQL for which the service stays ready, because it responds without it; by
   * default 30,000.
   */
  readonly toleratedMs?: (env: Environment) => number
}

/** PostgreSQL as the role of a service that owns no table: waits until it answers. */
export function postgres(options: PostgresOptions = {}): Resource<Database> {
  return createPoolResource(
    (database) => database.query({ name: 'process.reachable', text: 'SELECT 1' }),
    options,
  )
}

/** PostgreSQL as the role of the service that owns a schema: waits until its migrations have been applied. */
export function postgresWithSchema(
  migrations: Migrations,
  options: PostgresOptions = {},
): Resource<Database> {
  return createPoolResource((database) => requireMigrated(database, migrations), options)
}

function createPoolResource(
  answer: (database: Database) => Promise<unknown>,
  options: PostgresOptions,
): Resource<Database> {
  return (env) => {
    const toleratedMs = options.toleratedMs?.(env)
    const settings = readSettings(env, SETTINGS)
    const url = watchedUrl(env, 'SIGNET_POSTGRES_URL')
    return ({ service, logger, tracing, clock }) => {
      const address = settings.SIGNET_POSTGRES_URL.reveal()
      warnIfUnprotected(logger, { url: address, service, dependency: 'database' })
      const database = createPool({
        url,
        applicationName: `signet-${service}`,
        max: settings.SIGNET_POSTGRES_POOL_SIZE,
        namedStatements: settings.SIGNET_POSTGRES_NAMED_STATEMENTS,
        onIdleError: (error) => logger.warn('database_connection_lost', { error }),
      })
      const availability = watchAvailability({
        pool: database,
        clock,
        logger,
        ...(toleratedMs !== undefined && { toleratedMs }),
      })
      return {
        value: tracing ? tracedDatabase(database, tracing) : database,
        async usable() {
          await answer(database)
          await clock.read(database)
        },
        notReady: () => availability.notReady(),
        measure(metrics) {
          measurePool(metrics, database)
          measureClock(metrics, clock)
        },
        async close() {
          await availability.stop()
          await database.close()
        },
      }
    }
  }
}

function measurePool(metrics: Metrics, database: Pool): void {
  const connections = {
    name: 'signet_postgres_connections',
    help: 'Connections of the pool by state; waiting are callers that have none.',
    labels: ['state'],
  } as const
  metrics.gauge(connections, () =>
    Object.entries(database.use()).map(([state, value]) => ({ labels: { state }, value })),
  )
  const silence = {
    name: 'signet_postgres_silent_seconds',
    help: 'Since a statement last succeeded; a service is not ready from 30 on.',
    labels: [],
  } as const
  metrics.gauge(silence, () => [{ labels: {}, value: database.silentMs() / 1_000 }])
}

function measureClock(metrics: Metrics, clock: DatabaseClock): void {
  const offset = {
    name: 'signet_clock_offset_seconds',
    help: 'By which the wall clock of the process is ahead of PostgreSQL (negative: behind); not ready beyond 2.',
    labels: [],
  } as const
  metrics.gauge(offset, () => [{ labels: {}, value: clock.offsetSeconds() }])
}
