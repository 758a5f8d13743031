import type { Logger } from '@signet/platform/logger/logger'
import { repeat } from '@signet/platform/runtime/repeat'
import type { reconcile } from '../runs/reconcile.ts'

interface ReconcilerOptions {
  readonly reconcile: ReturnType<typeof reconcile>
  readonly everyMs: number
  readonly now: () => Date
  readonly logger: Logger
}

/** Continues jobs whose worker has stopped. It is alive while its rounds succeed. */
export function startReconcilerJob({ reconcile: round, everyMs, now, logger }: ReconcilerOptions) {
  let succeededAt = now().getTime()
  const rounds = repeat(
    everyMs,
    async () => {
      await round()
      succeededAt = now().getTime()
    },
    (error) => logger.error('reconciliation_failed', { error }),
  )
  return {
    isAlive: () => now().getTime() - succeededAt < 6 * everyMs + 5_000,
    stop: () => rounds.stop(),
  }
}
