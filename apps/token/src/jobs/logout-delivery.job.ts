import type { Logger } from '@signet/platform/logger/logger'
import { repeat } from '@signet/platform/runtime/repeat'

/** An application hears of a logout this much later at the most. */
const INTERVAL_MS = 1_000

interface Dependencies {
  readonly deliverLogouts: (signal: AbortSignal) => Promise<void>
  readonly logger: Logger
}

/** Tells applications of ended sessions until the returned function is called. */
export function startLogoutDeliveryJob({ deliverLogouts, logger }: Dependencies): () => Promise<void> {
  const stopping = new AbortController()
  const rounds = repeat(
    INTERVAL_MS,
    () => deliverLogouts(stopping.signal),
    (error) => logger.warn('logout_delivery_failed', { error }),
  )
  return () => {
    stopping.abort()
    return rounds.stop()
  }
}
