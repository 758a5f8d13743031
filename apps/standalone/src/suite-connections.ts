import type { Secret } from '@signet/platform/config/settings-fields'
import type { Logger } from '@signet/platform/logger/logger'
import { type Availability, watchAvailability } from '@signet/platform/postgres/availability'
import type { DatabaseClock } from '@signet/platform/postgres/database-clock'
import { createPool, type Database } from '@signet/platform/postgres/pool'
import type { DatabaseRole } from '@signet/platform/postgres/roles'
import { tracedDatabase } from '@signet/platform/postgres/traced-database'
import type { ServiceName } from '@signet/platform/process/service'
import { connectRedis, createRedis } from '@signet/platform/redis/client'
import type { Redis } from '@signet/platform/redis/connection'
import type { Tracing } from '@signet/platform/tracing/tracing'

interface ConnectionOptions {
  readonly databaseUrl: (role: DatabaseRole) => Secret
  readonly namedStatements: boolean
  readonly redisUrl: Secret
  readonly logger: Logger
  readonly clock: DatabaseClock
  readonly tracing?: Tracing | undefined
}

export interface SuiteConnections {
  /** Opens the pool of a role. */
  database(role: DatabaseRole): Database
  redis(name: ServiceName): Promise<Redis>
  /** The dependencies that cannot be reached now, each once. */
  notReady(): readonly string[]
}

/** Opens the connections of the services of one process; `opened` closes them. */
export function createSuiteConnections(
  { databaseUrl, namedStatements, redisUrl, logger, clock, tracing }: ConnectionOptions,
  opened: AsyncDisposableStack,
): SuiteConnections {
  const availabilities: Availability[] = []
  return {
    database(role) {
      const pool = createPool({
        url: databaseUrl(role),
        applicationName: role,
        namedStatements,
        onIdleError: (error) => logger.warn('database_connection_lost', { database: role, error }),
      })
      opened.defer(() => pool.close())
      const availability = watchAvailability({ pool, clock, logger: logger.child({ name: role }) })
      opened.defer(() => availability.stop())
      availabilities.push(availability)
      return tracing ? tracedDatabase(pool, tracing) : pool
    },
    async redis(name) {
      const client = createRedis({
        url: redisUrl,
        name,
        onError: (error) => logger.warn('redis_connection_lost', { name, error }),
      })
      opened.defer(() => client.disconnect())
      await connectRedis(client)
      return client
    },
    notReady: () => [...new Set(availabilities.flatMap((availability) => availability.notReady()))],
  }
}
