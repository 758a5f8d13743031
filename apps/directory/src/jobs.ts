import { createKeepPartitions } from '@signet/admin-api/audit/audit-table'
import { createLoggedRound } from '@signet/platform/logger/logger'
import { repeat } from '@signet/platform/runtime/clock'
import { IdempotencyStore } from './api/idempotency.repository.ts'
import { createDeleteOldResponses } from './api/run-operation.ts'
import { auditTable } from './audit/audit-table.ts'
import { ChangeFeedStore } from './change-feed/change-feed.repository.ts'
import { createDeleteUnusedClients } from './client-registration/unused-clients.service.ts'
import { createFollowPublishedEndings, EpochStore } from './epochs/epoch.repository.ts'
import { ProviderTestStore } from './identity-providers/provider-test.repository.ts'
import { ImpersonationStore } from './impersonations/impersonation.repository.ts'
import { startMailJobs } from './mail-jobs.ts'
import { createManagementTransactions } from './management-stores.ts'
import { startOrganizationDeletion } from './organizations/delete-organizations.service.ts'
import { createOrganizationDeletionStore } from './organizations/organization-deletion.repository.ts'
import type { DirectoryParts } from './parts.ts'
import { createDeleteOldRefusals } from './refusals/refusals.service.ts'
import { forgetAppliedBatches } from './transfer/applied-batches.repository.ts'
import { createClearDeletedUsers, deleteExpiredUndoBatches } from './undo/deleted-users.repository.ts'

const SECOND_MS = 1_000
/**
 * Rows of the change feed are deleted between one and two intervals after their commit. Readers cache for at most a
 * minute, so a reader that missed a deleted row no longer serves the old version of its object.
 */
const MINUTE_MS = 60_000
/** Rows may be this much older than promised. */
const HOUR_MS = 3_600_000

/** Starts the rounds that every replica runs side by side. The returned function stops them. */
export function startJobs(parts: DirectoryParts): () => Promise<void> {
  const { database, registrations, refusals, providerUses, logger, now, metrics } = parts
  const writeProviderUses = () =>
    providerUses.write().catch((error: unknown) => logger.warn('provider_use_not_written', { error }))
  const every = (ms: number, work: () => Promise<unknown>, problem: string) =>
    repeat(ms, work, (error) => logger.warn(problem, { error }))
  const deleteUnusedClients = createDeleteUnusedClients({
    ...parts,
    transact: createManagementTransactions(database, parts),
  })
  const rounds = [
    every(MINUTE_MS, createPruneChangeFeed(new ChangeFeedStore(database)), 'change_feed_pruning_failed'),
    every(HOUR_MS, createPruneEpochs(new EpochStore(database)), 'epoch_pruning_failed'),
    every(
      HOUR_MS,
      createDeleteOldResponses(new IdempotencyStore(database), now),
      'idempotency_pruning_failed',
    ),
    // The tries of the hours before no longer count.
    every(HOUR_MS, () => registrations.deleteTriesBefore(now()), 'registration_pruning_failed'),
    every(HOUR_MS, createDeleteOldRefusals(refusals, now), 'refusal_pruning_failed'),
    every(
      HOUR_MS,
      () => new ProviderTestStore(database).deleteExpired(now()),
      'provider_test_pruning_failed',
    ),
    every(
      HOUR_MS,
      () => new ImpersonationStore(database).deleteExpired(now()),
      'impersonation_pruning_failed',
    ),
    repeat(MINUTE_MS, writeProviderUses, () => undefined),
    every(HOUR_MS, () => forgetAppliedBatches(database), 'applied_batch_pruning_failed'),
    every(HOUR_MS, () => deleteExpiredUndoBatches(database), 'undo_batches_not_deleted'),
    every(HOUR_MS, deleteUnusedClients, 'unused_clients_not_deleted'),
    every(HOUR_MS, createClearDeletedUsers(database, parts), 'undo_batches_not_cleared'),
    followingPublishedEndings(),
  ]
  const deletion = startOrganizationDeletion({
    deletions: createOrganizationDeletionStore(database),
    logger,
    metrics,
  })
  const stopMail = startMailJobs(parts)
  const stopPartitions = createKeepPartitions({ table: auditTable, database, logger, now })
  return async () => {
    await Promise.all([stopPartitions(), stopMail(), deletion.stop(), ...rounds.map((round) => round.stop())])
    await writeProviderUses()
  }

  /** Follows the endings that the token service publishes. */
  function followingPublishedEndings() {
    const follow = createFollowPublishedEndings(database)
    const onProblem = (error: unknown) => logger.warn('published_endings_poll_failed', { error })
    const round = async () => {
      const count = await follow()
      if (count > 0) logger.warn('endings_recovered', { count })
    }
    const reporting = createLoggedRound(round, onProblem, () =>
      logger.info('published_endings_poll_recovered'),
    )
    // token and the log end what they publish at once; this follows for what outlives tokens.
    return repeat(2 * SECOND_MS, reporting, onProblem)
  }
}

/** An access token lives for a day at most; after that the feed has nothing to say about it. */
const FEED_HOURS = 25
/** No session, refresh token or code outlives 400 days, and none of them can come back to life after that. */
const RETIRED_DAYS = 401

/**
 * Creates a job that deletes changes of epochs after 25 hours, and epochs of deleted objects after 401 days. Every
 * replica may run it.
 */
export function createPruneEpochs(epochs: EpochStore): () => Promise<void> {
  return async () => {
    await epochs.deleteChangesOlderThan(FEED_HOURS)
    await epochs.deleteRetiredOlderThan(RETIRED_DAYS)
  }
}

/** Creates a job that deletes the changes that had ended by the run before. Every replica may run it. */
export function createPruneChangeFeed(changes: ChangeFeedStore): () => Promise<void> {
  let endedBefore: string | undefined
  return async () => {
    if (endedBefore !== undefined) await changes.deleteBelow(endedBefore)
    endedBefore = await changes.horizon()
  }
}
