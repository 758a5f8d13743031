import { startPostgres } from '@signet/embedded-databases/postgres'
import { startRedis } from '@signet/embedded-databases/redis'
import type { Secret } from '@signet/service-runtime/secret'
import type { StandaloneConfig } from './config.ts'

export interface Databases {
  /** May create roles and schemas. */
  readonly postgresAdminUrl: Secret
  readonly redisUrl: Secret
  /** Ends the servers that were started here. */
  stop(): Promise<void>
}

/** The servers that the settings name, and private ones under the data directory for those they do not. */
export async function openDatabases(config: StandaloneConfig): Promise<Databases> {
  const { dataDirectory } = config
  const [postgres, redis] = await Promise.all([
    config.postgresUrl ? undefined : startPostgres({ dataDirectory }),
    config.redisUrl ? undefined : startRedis({ dataDirectory }),
  ])
  const postgresAdminUrl = config.postgresUrl ?? postgres?.url
  const redisUrl = config.redisUrl ?? redis?.url
  if (postgresAdminUrl === undefined || redisUrl === undefined) throw new Error('a database has no address')
  return {
    postgresAdminUrl,
    redisUrl,
    async stop() {
      await Promise.all([postgres?.stop(), redis?.stop()])
    },
  }
}
