import type { Metrics } from '@signet/metrics/metrics'
import type { Migrations } from '@signet/postgres/migrate'
import { createPool, type Database, type Pool } from '@signet/postgres/pool'
import { requireMigrated } from '@signet/postgres/require-migrated'
import { tracedDatabase } from '@signet/postgres/traced-database'
import { readSettings } from '@signet/service-runtime/settings'
import type { Resource } from './resource.ts'

const SETTINGS = [
  'SIGNET_POSTGRES_URL',
  'SIGNET_POSTGRES_POOL_SIZE',
  'SIGNET_POSTGRES_NAMED_STATEMENTS',
] as const

/** PostgreSQL as the role of a service that owns no table: waits until it answers. */
export function postgres(): Resource<Database> {
  return pool((database) => database.query({ name: 'process.reachable', text: 'SELECT 1' }))
}

/** PostgreSQL as the role of the service that owns a schema: waits until its migrations have been applied. */
export function postgresWithSchema(migrations: Migrations): Resource<Database> {
  return pool((database) => requireMigrated(database, migrations))
}

function pool(answer: (database: Database) => Promise<unknown>): Resource<Database> {
  return (env) => {
    const settings = readSettings(env, SETTINGS)
    return ({ service, logger, tracing }) => {
      const database = createPool({
        url: settings.SIGNET_POSTGRES_URL,
        applicationName: `signet-${service}`,
        max: settings.SIGNET_POSTGRES_POOL_SIZE,
        namedStatements: settings.SIGNET_POSTGRES_NAMED_STATEMENTS,
        onIdleError: (error) => logger.warn('database_connection_lost', { error }),
      })
      return {
        value: tracing ? tracedDatabase(database, tracing) : database,
        async usable() {
          await answer(database)
        },
        measure: (metrics) => measurePool(metrics, database),
        close: () => database.close(),
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
}
