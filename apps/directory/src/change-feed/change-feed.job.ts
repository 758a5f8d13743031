import type { Logger } from '@signet/platform/logger/logger'

/**
 * Rows go between one and two of these after they were committed. Readers keep nothing for longer than a minute, so
 * whoever missed a row that is gone no longer serves what it was about.
 */
const INTERVAL_MS = 60_000

interface Dependencies {
  readonly prune: () => Promise<void>
  readonly logger: Logger
}

/** Keeps the change feed short until the returned function is called. */
export function startChangeFeedJob({ prune, logger }: Dependencies): () => Promise<void> {
  let running: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    running = running
      .then(prune)
      .catch((error: unknown) => logger.warn('change_feed_pruning_failed', { error }))
  }, INTERVAL_MS)
  return async () => {
    clearInterval(timer)
    await running
  }
}
