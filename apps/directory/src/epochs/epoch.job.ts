import type { Logger } from '@signet/platform/logger/logger'
import { repeat } from '@signet/platform/runtime/repeat'

/** Rows may be this much older than they need to be. */
const INTERVAL_MS = 3_600_000

interface Dependencies {
  readonly prune: () => Promise<void>
  readonly logger: Logger
}

/** Keeps the feed of epochs short until the returned function is called. */
export function startEpochJob({ prune, logger }: Dependencies): () => Promise<void> {
  const rounds = repeat(INTERVAL_MS, prune, (error) => logger.warn('epoch_pruning_failed', { error }))
  return () => rounds.stop()
}
