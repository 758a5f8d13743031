import type { Logger } from '@signet/platform/logger/logger'
import { repeat } from '@signet/platform/runtime/repeat'

/** Stores the heartbeat of this process at an interval, so that other workers do not take over its claims. */
export function startHeartbeatJob(
  beat: () => Promise<void>,
  { everyMs, logger }: { readonly everyMs: number; readonly logger: Logger },
): () => Promise<void> {
  const beats = repeat(everyMs, beat, (error) => logger.warn('heartbeat_failed', { error }))
  return () => beats.stop()
}
