import type { Logger } from '@signet/platform/logger/logger'
import { repeat } from '@signet/platform/runtime/clock'
import type { DispatchRepository } from './dispatch.repository.ts'
import type { JobRepository } from './job.ts'

interface ReconcilerOptions {
  readonly jobs: Pick<JobRepository, 'checkDeadline'>
  readonly dispatches: DispatchRepository
  /** Puts a job into the queue of workers; rejects while Redis is unavailable. */
  readonly dispatch: (jobId: string, attempt: number) => Promise<void>
  /** Rejects while the directory is unavailable. */
  readonly clearDeletedUsers: () => Promise<void>
  readonly everyMs: number
  readonly now: () => Date
  readonly logger: Logger
}

const CLEAR_MS = 60_000

/** Enqueues jobs that lost their worker, and deletes expired data. It is alive while its rounds succeed. */
export function startReconciler({
  jobs,
  dispatches,
  dispatch,
  clearDeletedUsers,
  everyMs,
  now,
  logger,
}: ReconcilerOptions) {
  let succeededAt = now().getTime()

  async function reconcile(): Promise<void> {
    for (const { id, attempt } of await dispatches.takeAbandoned()) {
      if (!(await jobs.checkDeadline(id))) continue
      try {
        await dispatch(id, attempt)
      } catch (error) {
        await dispatches.undispatched(id)
        throw error
      }
    }
    await dispatches.removeLost()
    await dispatches.deleteExpired()
    succeededAt = now().getTime()
  }

  const rounds = repeat(everyMs, reconcile, (error) => logger.error('reconciliation_failed', { error }))
  // Apart: jobs are enqueued also while the directory is unavailable.
  const clearings = repeat(CLEAR_MS, clearDeletedUsers, (error) =>
    logger.warn('deleted_users_not_cleared', { error }),
  )
  return {
    isAlive: () => now().getTime() - succeededAt < 6 * everyMs + 5_000,
    async stop() {
      await Promise.all([rounds.stop(), clearings.stop()])
    },
  }
}
