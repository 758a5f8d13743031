import type { Service } from '@signet/platform/process/service'
import { repeat } from '@signet/platform/runtime/clock'
import { createApi } from './api.ts'
import { createRepositories, type MigrationDependencies } from './dependencies.ts'
import { measureQueue, openJobQueue } from './jobs/job-queue.ts'
import { startWorker } from './worker.ts'

/** Composes and starts the migration service: its API, its worker, or both. */
export async function startMigration(dependencies: MigrationDependencies): Promise<Service> {
  const { config, logger, tracing } = dependencies
  const repositories = createRepositories(dependencies)
  const { jobs, dispatches, workerId } = repositories
  await dispatches.heartbeat(workerId)
  const queue = openJobQueue({ redisUrl: config.queueRedisUrl, logger, tracing })
  measureQueue(dependencies.metrics, queue)
  // Other workers take over the claims of a process without a heartbeat.
  const heartbeats = repeat(
    (config.stallSeconds * 1000) / 4,
    () => dispatches.heartbeat(workerId),
    (error) => logger.warn('heartbeat_failed', { error }),
  )
  const worker = config.roles === 'api' ? undefined : startWorker(dependencies, repositories, queue)
  return {
    name: 'migration',
    ...(config.roles !== 'worker' && { http: createApi(dependencies, repositories, queue) }),
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
      await heartbeats.stop()
      await queue.close()
    },
  }
}
