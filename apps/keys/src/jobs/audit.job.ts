import type { Logger } from '@signet/service-runtime/logger'
import { repeat } from '@signet/service-runtime/repeat'

/** Partitions are made two months ahead; a few missed rounds harm nobody. */
const INTERVAL_MS = 6 * 3_600_000

interface Dependencies {
  readonly settlePartitions: () => Promise<void>
  readonly logger: Logger
}

/** Keeps partitions of the audit trail ready and drops old ones until the returned function is called. */
export function startAuditJob({ settlePartitions, logger }: Dependencies): () => Promise<void> {
  const onError = (error: unknown) => logger.error('audit_partitions_failed', { error })
  const rounds = repeat(INTERVAL_MS, settlePartitions, onError)
  return () => rounds.stop()
}
