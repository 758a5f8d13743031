import { createLoggedRound, type Logger } from '@signet/platform/logger/logger'
import { type Clock, repeat } from '@signet/platform/runtime/clock'

interface ExpiredRequestsJob {
  /** Deletes up to so many expired requests and returns how many there were. */
  readonly deleteExpired: (now: Date, most: number) => Promise<number>
  readonly now: Clock
  readonly logger: Logger
  readonly intervalMs?: number
}

const INTERVAL_MS = 60_000
const BATCH = 1_000

/** Deletes expired requests each minute until the returned function is called. */
export function startExpiredRequestsJob({
  deleteExpired,
  now,
  logger,
  intervalMs = INTERVAL_MS,
}: ExpiredRequestsJob): () => Promise<void> {
  const deleteAll = async () => {
    while ((await deleteExpired(now(), BATCH)) === BATCH);
  }
  const onProblem = (error: unknown) => logger.error('expired_requests_not_deleted', { error })
  const round = createLoggedRound(deleteAll, onProblem, () => logger.info('expired_requests_deleted_again'))
  const rounds = repeat(intervalMs, round, onProblem)
  return () => rounds.stop()
}
