import type { Logger } from '@signet/platform/logger/logger'
import { repeat } from '@signet/platform/runtime/repeat'

/** Tells again and again that this process is alive, so that nobody takes over what it does. */
export function startHeartbeatJob(
  beat: () => Promise<void>,
  { everyMs, logger }: { readonly everyMs: number; readonly logger: Logger },
): () => Promise<void> {
  const beats = repeat(everyMs, beat, (error) => logger.warn('heartbeat_failed', { error }))
  return () => beats.stop()
}
