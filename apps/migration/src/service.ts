import type { Database } from '@signet/postgres/pool'
import type { Logger } from '@signet/service-runtime/logger'
import type { Service } from '@signet/service-runtime/service'
import { openJobQueue } from './jobs/job-queue.ts'

export interface MigrationOptions {
  /** Connected as role `signet_migration`. */
  readonly database: Database
  readonly queueRedisUrl: { reveal(): string }
  readonly logger: Logger
}

/** Composes and starts the migration service. */
export async function startMigration(options: MigrationOptions): Promise<Service> {
  const { database, queueRedisUrl, logger } = options
  const queue = openJobQueue(queueRedisUrl, logger)
  return {
    name: 'migration',
    async notReady() {
      const [queueReachable, databaseReachable] = await Promise.all([
        queue.isReachable(),
        canReadJobs(database, logger),
      ])
      return [...(queueReachable ? [] : ['queue']), ...(databaseReachable ? [] : ['database'])]
    },
    stop: () => queue.close(),
  }
}

async function canReadJobs(database: Database, logger: Logger): Promise<boolean> {
  try {
    await database.query({ name: 'job.any', text: 'SELECT 1 FROM migration.job LIMIT 1' }) // primary key
    return true
  } catch (error) {
    logger.warn('database_unreachable', { error })
    return false
  }
}
