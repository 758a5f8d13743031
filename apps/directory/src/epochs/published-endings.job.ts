import { type Logger, reportingOnce } from '@signet/platform/logger/logger'
import { repeat } from '@signet/platform/runtime/repeat'

const INTERVAL_MS = 1_000

interface Dependencies {
  /** Returns how many objects it changed. */
  readonly follow: () => Promise<number>
  readonly logger: Logger
}

/** Follows the endings that the token service publishes, until the returned function is called. */
export function startPublishedEndingsJob({ follow, logger }: Dependencies): () => Promise<void> {
  const onProblem = (error: unknown) => logger.warn('published_endings_failed', { error })
  const round = async () => {
    const count = await follow()
    if (count > 0) logger.warn('endings_recovered', { count })
  }
  const rounds = repeat(
    INTERVAL_MS,
    reportingOnce(round, onProblem, () => logger.info('published_endings_followed')),
    onProblem,
  )
  return () => rounds.stop()
}
