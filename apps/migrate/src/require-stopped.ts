import type { Queryable } from '@signet/platform/postgres/pool'
import { type ServiceName, StartFailure } from '@signet/platform/process/service'

/** Throws StartFailure naming the services among `services` that are connected to the database. */
export async function requireStopped(database: Queryable, services: readonly ServiceName[]): Promise<void> {
  const { rows } = await database.query<{ name: string; connections: number }>({
    name: '',
    text: `SELECT usename::text AS name, count(*) AS connections FROM pg_stat_activity
            WHERE datname = current_database() AND usename = ANY ($1) GROUP BY usename ORDER BY usename`,
    values: [services.map((service) => `signet_${service}`)],
  })
  if (rows.length === 0) return
  const connected = rows.map(({ name, connections }) => `${name} (${connections} connections)`).join(', ')
  throw new StartFailure(`stop these services first, for example by scaling them to zero: ${connected}`)
}

/** A migration that takes away what running services of the version before use, and those services. */
const STOPS: { readonly migration: string; readonly services: readonly ServiceName[] } = {
  // Revocations move from keys in Redis to one table and one log.
  migration: '0015',
  services: ['token', 'introspection', 'login'],
}

/**
 * Throws StartFailure when migrations that are about to be applied need services to be stopped that are still connected. A
 * new database needs nothing.
 */
export async function requireStoppedForUpgrade(database: Queryable): Promise<void> {
  const { rows } = await database.query<{ exists: boolean }>({
    name: '',
    text: `SELECT to_regclass('grants.schema_migration') IS NOT NULL AS exists`,
  })
  if (rows[0]?.exists !== true) return
  const { rows: applied } = await database.query({
    name: '',
    text: 'SELECT FROM grants.schema_migration WHERE left(name, 4) = $1',
    values: [STOPS.migration],
  })
  if (applied.length === 0) await requireStopped(database, STOPS.services)
}
