import type { Secret } from '@signet/platform/config/settings-fields'
import { StartFailure } from '@signet/platform/process/service'
import { startPostgres } from '../databases/postgres.ts'
import { startRedis } from '../databases/redis.ts'

export interface Databases {
  /** URL of a role that may create roles and schemas. */
  readonly postgresAdminUrl: Secret
  readonly redisUrl: Secret
  /** Stops the servers that this function started. */
  stop(): Promise<void>
}

interface DatabaseOptions {
  readonly dataDirectory: string
  readonly postgresUrl?: Secret
  readonly redisUrl?: Secret
}

/**
 * Uses the servers of the settings, and starts private servers in the data directory for missing ones. This process ends when a
 * private server ends by itself.
 */
export async function openDatabases(options: DatabaseOptions): Promise<Databases> {
  const { dataDirectory } = options
  const onUnexpectedEnd = (problem: string) => void Promise.reject(new StartFailure(problem))
  const [postgres, redis] = await Promise.all([
    options.postgresUrl ? undefined : startPostgres({ dataDirectory, onUnexpectedEnd }),
    options.redisUrl ? undefined : startRedis({ dataDirectory, onUnexpectedEnd }),
  ])
  const postgresAdminUrl = options.postgresUrl ?? postgres?.url
  const redisUrl = options.redisUrl ?? redis?.url
  if (postgresAdminUrl === undefined || redisUrl === undefined) throw new Error('a database has no address')
  return {
    postgresAdminUrl,
    redisUrl,
    async stop() {
      await Promise.all([postgres?.stop(), redis?.stop()])
    },
  }
}
