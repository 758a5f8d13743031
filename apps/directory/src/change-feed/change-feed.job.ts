import type { Logger } from '@signet/platform/logger/logger'

/**
 * Rows are deleted between one and two intervals after their commit. Readers cache for at most a minute, so a
 * reader that missed a deleted row no longer serves the old version of its object.
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
