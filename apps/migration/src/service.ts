import type { Service } from '@signet/platform/process/service'
import { apiRole } from './api-role.ts'
import { startHeartbeatJob } from './jobs/heartbeat.job.ts'
import { measureQueue } from './jobs/job-metrics.ts'
import { openJobQueue } from './jobs/job-queue.ts'
import { type MigrationDependencies, openStores } from './migration-stores.ts'
import { startWorkerRole } from './worker-role.ts'

/** Composes and starts the migration service: its API, its worker, or both. */
export async function startMigration(dependencies: MigrationDependencies): Promise<Service> {
  const { config, logger, tracing } = dependencies
  const stores = openStores(dependencies)
  const { jobs, dispatches, workerId } = stores
  await dispatches.beat(workerId)
  const queue = openJobQueue({ redisUrl: config.queueRedisUrl, logger, tracing })
  measureQueue(dependencies.metrics, queue)
  const stopHeartbeat = startHeartbeatJob(() => dispatches.beat(workerId), {
    everyMs: (config.stallSeconds * 1000) / 6,
    logger,
  })
  const worker = config.roles === 'api' ? undefined : startWorkerRole(dependencies, stores, queue)
  return {
    name: 'migration',
    ...(config.roles !== 'worker' && { http: apiRole(dependencies, stores, queue) }),
    async notReady() {
      const [queueReachable, databaseReachable] = await Promise.all([
        queue.isReachable(),
        jobs.isReachable().catch((error: unknown) => {
          logger.warn('database_unreachable', { error })
          return false
        }),
      ])
      return [
        ...(queueReachable ? [] : ['queue']),
        ...(databaseReachable ? [] : ['database']),
        ...((worker?.isAlive() ?? true) ? [] : ['reconciler']),
      ]
    },
    async stop() {
      await worker?.stop()
      await stopHeartbeat()
      await queue.close()
    },
  }
}
