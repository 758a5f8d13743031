import type { Logger } from '@signet/platform/logger/logger'
import { repeat } from '@signet/platform/runtime/repeat'

const INTERVAL_MS = 3_600_000

interface Dependencies {
  readonly forget: () => Promise<void>
  readonly logger: Logger
}

/** Keeps what imports wrote down for their own repetition short until the returned function is called. */
export function startAppliedBatchJob({ forget, logger }: Dependencies): () => Promise<void> {
  const rounds = repeat(INTERVAL_MS, forget, (error) =>
    logger.warn('applied_batches_not_forgotten', { error }),
  )
  return () => rounds.stop()
}
