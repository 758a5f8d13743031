import { createPool, type Database } from '@signet/platform/postgres/pool'
import { createRedis, type Redis } from '@signet/platform/redis/client'
import { type BootstrapFile, writeBootstrapFile } from './bootstrap-file.ts'
import { type RestartablePostgres, startRestartablePostgres } from './restartable-postgres.ts'
import { type SixProcesses, type SixProcessesOptions, startSixProcesses } from './six-processes.ts'

/** Six processes whose PostgreSQL can be restarted below them, and what a test looks into their databases with. */
export interface CrashSuite {
  readonly file: BootstrapFile
  readonly postgres: RestartablePostgres
  readonly signet: SixProcesses
  readonly database: Database
  readonly redis: Redis
  stop(): Promise<void>
}

export async function startCrashSuite(
  document: unknown,
  env: NonNullable<SixProcessesOptions['env']> = {},
): Promise<CrashSuite> {
  const opened = new AsyncDisposableStack()
  const file = await writeBootstrapFile(document)
  opened.defer(() => file.remove())
  try {
    const postgres = await startRestartablePostgres()
    opened.defer(() => postgres.stop())
    const signet = await startSixProcesses({ bootstrapFile: file.path, postgresUrl: postgres.url, env })
    opened.defer(async () => {
      await signet.stop()
    })
    const database = createPool({
      url: postgres.url,
      applicationName: 'test',
      max: 2,
      onIdleError: () => undefined,
    })
    opened.defer(() => database.close())
    const redis = createRedis({ url: signet.databases.redisUrl, name: 'test' })
    opened.defer(() => redis.disconnect())
    await redis.connect()
    return { file, postgres, signet, database, redis, stop: () => opened.disposeAsync() }
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}
