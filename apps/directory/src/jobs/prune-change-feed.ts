import type { Logger } from '@signet/service-runtime/logger'
import type { ChangeFeedStore } from '../stores/change-feed-store.ts'

/**
 * Rows go between one and two of these after they were committed. Readers keep nothing for longer than a minute, so
 * whoever missed a row that is gone no longer serves what it was about.
 */
const INTERVAL_MS = 60_000

interface Dependencies {
  readonly changes: ChangeFeedStore
  readonly logger: Logger
}

/** One round: removes what had ended by the round before. */
export function changeFeedPruner(changes: ChangeFeedStore): () => Promise<void> {
  let endedBefore: string | undefined
  return async () => {
    if (endedBefore !== undefined) await changes.deleteBelow(endedBefore)
    endedBefore = await changes.horizon()
  }
}

/** Keeps the change feed short until the returned function is called. Every replica may run it. */
export function startChangeFeedPruning({ changes, logger }: Dependencies): () => Promise<void> {
  const prune = changeFeedPruner(changes)
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
