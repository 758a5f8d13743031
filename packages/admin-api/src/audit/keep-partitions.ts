import type { Logger } from '@signet/platform/logger/logger'
import type { Database } from '@signet/platform/postgres/pool'
import type { Clock } from '@signet/platform/runtime/clock'
import { repeat } from '@signet/platform/runtime/repeat'
import type { AuditTrail } from './audit-trail.ts'

/** Partitions are created two months ahead, so a few missed rounds are harmless. */
const INTERVAL_MS = 6 * 3_600_000

interface Dependencies {
  readonly trail: AuditTrail
  readonly database: Database
  readonly logger: Logger
  readonly now: Clock
}

/** Keeps partitions of the trail ready and drops old ones until the returned function is called. */
export function keepPartitions({ trail, database, logger, now }: Dependencies): () => Promise<void> {
  const onError = (error: unknown) => logger.error('audit_partitions_failed', { error })
  const rounds = repeat(INTERVAL_MS, () => trail.settlePartitions(database, now()), onError)
  return () => rounds.stop()
}
