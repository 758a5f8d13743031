import type { Logger } from '@signet/service-runtime/logger'
import type { MirrorStore } from '../stores/mirror-store.ts'
import type { RevocationStore } from '../stores/revocation-store.ts'

/** A revocation that its own request did not publish within this time is published by any replica. */
const SWEEP_AFTER_MS = 1_000

/**
 * One round of the mirror's upkeep: publishes what a dead request left behind, fills shards that their server lost and
 * opens the log. Every replica may run it at any time. No part waits for another to succeed; rejects when one failed.
 */
export async function keepMirrorWhole(deps: {
  readonly revocations: RevocationStore
  readonly mirror: MirrorStore
  readonly logger: Logger
}): Promise<void> {
  const { revocations, mirror, logger } = deps

  async function sweep() {
    const swept = await revocations.withUnpublished(SWEEP_AFTER_MS, (found) => mirror.write(found))
    if (swept > 0) logger.warn('revocations_swept', { count: swept })
  }

  async function refill() {
    const shards = await mirror.shardsToFill()
    if (shards === undefined || shards.length === 0) return
    await mirror.fill(shards, () => revocations.all())
    logger.info('mirror_filled', { count: shards.length })
  }

  const outcomes = await Promise.allSettled([sweep(), refill(), mirror.openLog()])
  const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
  if (failures.length > 0) throw failures.length === 1 ? failures[0] : new AggregateError(failures)
}
