import type { Logger } from '@signet/platform/logger/logger'
import { repeat } from '@signet/platform/runtime/repeat'

const INTERVAL_MS = 3_600_000

interface Dependencies {
  readonly forget: () => Promise<void>
  readonly logger: Logger
}

/** Keeps no address longer than it counts, give or take an hour, until the returned function is called. */
export function startRegistrationJob({ forget, logger }: Dependencies): () => Promise<void> {
  const rounds = repeat(INTERVAL_MS, forget, (error) => logger.warn('registration_pruning_failed', { error }))
  return () => rounds.stop()
}
