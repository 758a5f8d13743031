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
