import type { Logger } from '@signet/platform/logger/logger'
import { repeat } from '@signet/platform/runtime/repeat'

const INTERVAL_MS = 3_600_000

interface Dependencies {
  readonly forget: () => Promise<void>
  readonly logger: Logger
}

/** Keeps no answer longer than promised, give or take an hour, until the returned function is called. */
export function startIdempotencyJob({ forget, logger }: Dependencies): () => Promise<void> {
  const rounds = repeat(INTERVAL_MS, forget, (error) => logger.warn('idempotency_pruning_failed', { error }))
  return () => rounds.stop()
}
