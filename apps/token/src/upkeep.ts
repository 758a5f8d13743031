import { createPostForm } from '@signet/platform/outbound-http/post-form'
import { repeat } from '@signet/platform/runtime/repeat'
import { startLogoutDeliveryJob } from './jobs/logout-delivery.job.ts'
import { deliverLogouts, type TryOutcome } from './logout/deliver-logouts.ts'
import { planPartitions } from './partitions/partition-plan.ts'
import { followDirectory } from './revocation/follow-directory.ts'
import { trail } from './stores/audit-trail.ts'
import { PostgresDirectoryFeed } from './stores/directory-feed.ts'
import { PostgresLogoutOutbox } from './stores/postgres-logout-outbox.ts'
import type { PartitionStore } from './stores/postgres-partition-store.ts'
import type { TokenOptions } from './token-options.ts'
import type { TokenParts } from './token-parts.ts'

const LOG_ROUND_MS = 1_000
const DIRECTORY_ROUND_MS = 1_000
const PARTITION_ROUND_MS = 3_600_000
/** Less than the lease of a delivery; an application that needs longer is asked again. */
const LOGOUT_TIMEOUT_MS = 5_000

/** Starts what every replica does again and again by itself, until the returned function is called. */
export function startUpkeep(
  parts: TokenParts,
  { partitions, config, database, metrics }: TokenOptions & { readonly partitions: PartitionStore },
): () => Promise<void> {
  const { log, repair, endByDirectory, endings, logger, now } = parts
  const feed = new PostgresDirectoryFeed(database)
  const countTry = metrics?.counter({
    name: 'signet_logout_deliveries_total',
    help: 'Tries to tell an application of a logout (Back-Channel Logout 1.0); given_up was the last one',
    labels: ['outcome'],
  })
  const deliveries = {
    ...parts,
    outbox: new PostgresLogoutOutbox(database),
    postForm: createPostForm({ allow: config.outboundAllow, timeoutMs: LOGOUT_TIMEOUT_MS }),
    count: (outcome: TryOutcome) => countTry?.({ outcome }),
  }
  const rounds = [
    repeat(LOG_ROUND_MS, log.maintain, (error) => logger.warn('revocation_log_upkeep_failed', { error })),
    repeat(LOG_ROUND_MS, repair.round, (error) => logger.warn('revocation_log_repair_failed', { error })),
    repeat(
      DIRECTORY_ROUND_MS,
      () => followDirectory({ feed, endByDirectory, endings, now }),
      (error) => logger.warn('directory_feed_failed', { error }),
    ),
    repeat(
      PARTITION_ROUND_MS,
      async () => {
        await partitions.create(planPartitions(now()))
        await partitions.drop(planPartitions(now()))
        await trail.settlePartitions(database, now())
      },
      (error) => logger.error('partition_upkeep_failed', { error }),
    ),
  ]
  const stopLogoutDelivery = startLogoutDeliveryJob({
    deliverLogouts: (signal) => deliverLogouts(deliveries, signal),
    logger,
  })
  return async () => {
    await Promise.all([...rounds.map((round) => round.stop()), stopLogoutDelivery()])
  }
}
