import { type Logger, reportingOnce } from '@signet/platform/logger/logger'
import { repeat } from '@signet/platform/runtime/repeat'

interface RotationJobOptions {
  readonly tick: () => Promise<void>
  readonly intervalMs: number
  readonly logger: Logger
}

/** Ticks until the returned function is called. After a failed tick the keys in memory go on working. */
export function startRotationJob({ tick, intervalMs, logger }: RotationJobOptions): () => Promise<void> {
  const onProblem = (error: unknown) => logger.error('key_rotation_failed', { error })
  // Once, not every second for as long as the database is away.
  const round = reportingOnce(tick, onProblem, () => logger.info('key_rotation_recovered'))
  const rounds = repeat(intervalMs, round, onProblem)
  return () => rounds.stop()
}
