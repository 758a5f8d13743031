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
  /** This process stops: its round ends after the job that it is at. */
  readonly stopping: () => boolean
  readonly everyMs: number
  readonly now: () => Date
  readonly logger: Logger
}

const CLEAR_MS = 60_000
/** Expired data is kept for minutes at least, so a minute more does not matter. */
const ROUNDS_PER_CLEANUP = 12

/**
 * Runs one round: ends overdue jobs, enqueues jobs that lost their worker, deletes expired data. A failure of one job or one
 * step keeps no other job and no other step from its turn. Returns whether all steps ran; jobs that cannot be queued are
 * counted as the queue's failure.
 */
export function createReconcile({
  jobs,
  dispatches,
  dispatch,
  stopping,
  logger,
  roundsPerCleanup = 1,
}: Pick<ReconcilerOptions, 'jobs' | 'dispatches' | 'dispatch' | 'stopping' | 'logger'> & {
  /** The first round deletes, and then one of so many. */
  readonly roundsPerCleanup?: number
}): () => Promise<boolean> {
  async function forEachJob(
    ids: readonly string[],
    failure: string,
    work: (jobId: string) => Promise<unknown>,
  ): Promise<void> {
    const failed: { readonly jobId: string; readonly error: unknown }[] = []
    for (const jobId of ids) {
      if (stopping()) return
      await work(jobId).catch((error) => failed.push({ jobId, error }))
    }
    // One line a round: without Redis every waiting job fails.
    if (failed.length > 0) logger.warn(failure, { count: failed.length, ...failed[0] })
  }

  const steps = [
    async () => await forEachJob(await dispatches.findOverdue(), 'deadlines_not_checked', jobs.checkDeadline),
    async () =>
      await forEachJob(await dispatches.findAbandoned(), 'jobs_not_dispatched', (jobId) =>
        dispatches.dispatchAbandoned(jobId, (attempt) => dispatch(jobId, attempt)),
      ),
  ]
  const cleanup = [() => dispatches.removeLost(), () => dispatches.deleteExpired()]
  let round = 0
  return async () => {
    let isComplete = true
    const isCleanup = round++ % roundsPerCleanup === 0
    for (const step of isCleanup ? [...steps, ...cleanup] : steps) {
      await step().catch((error: unknown) => {
        isComplete = false
        logger.error('reconciliation_failed', { error })
      })
    }
    return isComplete
  }
}

/** Runs `createReconcile` in rounds, and takes deleted users out of ended jobs. It is alive while all steps of its rounds run. */
export function startReconciler(options: ReconcilerOptions) {
  const { clearDeletedUsers, everyMs, now, logger } = options
  let succeededAt = now().getTime()
  const reconcile = createReconcile({ ...options, roundsPerCleanup: ROUNDS_PER_CLEANUP })
  const rounds = repeat(
    everyMs,
    async () => {
      if (await reconcile()) succeededAt = now().getTime()
    },
    (error) => logger.error('reconciliation_failed', { error }),
  )
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
