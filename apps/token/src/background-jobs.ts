import { createPostForm } from '@signet/platform/outbound-http/http-calls'
import { startDeliveries, type TryOutcome } from '@signet/platform/outbox/deliver'
import { StartFailure } from '@signet/platform/process/service'
import { type Repetition, repeat } from '@signet/platform/runtime/clock'
import { DependencyUnavailableError } from '@signet/platform/runtime/dependency-unavailable'
import { auditTable } from './audit-events.ts'
import type { TokenOptions } from './config.ts'
import type { TokenParts } from './dependencies.ts'
import { createLogoutDeliveries } from './logout/delivery.ts'
import { createLogoutOutbox } from './logout/outbox.repository.ts'
import type { PartitionStore } from './partitions/partition.repository.ts'
import { planPartitions } from './partitions/partition-plan.ts'
import { createOwnReader, startCanary } from './revocation/canary.ts'
import { deleteOldAccessEnds } from './revocation/ended-access.repository.ts'
import { followDirectory, PostgresDirectoryFeed } from './revocation/follow-epochs.ts'
import { type Generation, LostEndingStore } from './revocation/recovery.repository.ts'
import { createRecoverEndings, type Recovery, recoveryOnRequest } from './revocation/recovery.ts'

const LOG_ROUND_MS = 1_000
const DIRECTORY_ROUND_MS = 1_000
const PARTITION_ROUND_MS = 3_600_000
const CLIENT_USE_ROUND_MS = 60_000
/** Less than the lease of a delivery; an application that needs longer is asked again. */
const LOGOUT_TIMEOUT_MS = 5_000

/** Starts the periodic work of each replica; the returned function stops it. */
export function startBackgroundJobs(
  parts: TokenParts,
  { partitions, config, database, metrics }: TokenOptions & { readonly partitions: PartitionStore },
): () => Promise<void> {
  const { log, repair, endByDirectory, endings, clientUses, logger, now } = parts
  const feed = new PostgresDirectoryFeed(database)
  const countTry = metrics?.counter({
    name: 'signet_logout_deliveries_total',
    help: 'Tries to tell an application of a logout (Back-Channel Logout 1.0); given_up was the last one',
    labels: ['outcome'],
  })
  const logouts = createLogoutDeliveries({
    ...parts,
    outbox: createLogoutOutbox(database),
    postForm: createPostForm({ allow: config.outboundAllow, timeoutMs: LOGOUT_TIMEOUT_MS }),
    count: (outcome: TryOutcome) => countTry?.({ outcome }),
  })
  const rounds = [
    repeat(LOG_ROUND_MS, log.maintain, (error) => logger.warn('revocation_log_upkeep_failed', { error })),
    repeat(LOG_ROUND_MS, repair.round, (error) => logger.warn('revocation_log_repair_failed', { error })),
    repeat(
      DIRECTORY_ROUND_MS,
      () => followDirectory({ feed, endByDirectory, endings, now }),
      (error) => logger.warn('directory_endings_poll_failed', { error }),
    ),
    repeat(
      PARTITION_ROUND_MS,
      async () => {
        await partitions.create(planPartitions(now()))
        await partitions.drop(planPartitions(now()))
        await auditTable.settlePartitions(database, now())
        await clientUses.deleteOld()
        await deleteOldAccessEnds(database)
      },
      (error) => logger.error('partition_upkeep_failed', { error }),
    ),
  ]
  const writeClientUses = () =>
    clientUses.write().catch((error: unknown) => logger.warn('client_use_not_written', { error }))
  rounds.push(repeat(CLIENT_USE_ROUND_MS, writeClientUses, () => undefined))
  if (config.canarySeconds !== undefined && metrics !== undefined) {
    rounds.push(
      startCanary({
        ...{ ...parts, metrics, everyMs: config.canarySeconds * 1_000, elapsed: () => performance.now() },
        readers: { token: createOwnReader(parts.readAccessToken, parts.revocations) },
      }),
    )
  }
  const stopLogoutDelivery = startDeliveries(logouts)
  return async () => {
    await Promise.all([...rounds.map((round) => round.stop()), stopLogoutDelivery()])
    await writeClientUses()
  }
}

const RECOVERY_ROUND_MS = 1_000

/** Recovers endings at the start of this replica, and whenever PostgreSQL has another history. */
interface RunningRecovery extends Pick<Recovery, 'request' | 'isRefused'> {
  stop: Repetition['stop']
}

/**
 * Recovers now, and then on request. Rejects with StartFailure when PostgreSQL was restored from a backup without
 * `signet-migrate restored`, and with DependencyUnavailableError when a server is away.
 */
export async function startRecovery(
  { database, redis, logger, now, metrics }: TokenOptions,
  generation: Generation,
  key: Buffer,
): Promise<RunningRecovery> {
  let recovered = 0
  const recovery = recoveryOnRequest(
    createRecoverEndings({
      ...{ redis, key, generation, logger, now },
      store: new LostEndingStore(database),
      count: (number) => {
        recovered += number
      },
    }),
  )
  recovery.request()
  try {
    await recovery.round()
  } catch (error) {
    if (error instanceof StartFailure || error instanceof DependencyUnavailableError) throw error
    throw new DependencyUnavailableError('redis', error)
  }
  // Registered after the recovery: a start that fails is repeated in this process, and a metric is registered once.
  metrics?.total(
    {
      name: 'signet_endings_recovered_total',
      help: 'Endings that PostgreSQL had lost in a fail-over and that came back from the log in Redis.',
      labels: [],
    },
    () => [{ labels: {}, value: recovered }],
  )
  const rounds = repeat(RECOVERY_ROUND_MS, recovery.round, (error) =>
    logger.error('recovery_failed', { error }),
  )
  return { request: recovery.request, isRefused: recovery.isRefused, stop: () => rounds.stop() }
}
