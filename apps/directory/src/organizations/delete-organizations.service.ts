import type { Logger } from '@signet/platform/logger/logger'
import type { Metrics } from '@signet/platform/metrics/metrics'
import { repeat } from '@signet/platform/runtime/clock'
import type { OrganizationDeletionStore } from './organization-deletion.repository.ts'

interface Options {
  readonly deletions: OrganizationDeletionStore
  readonly logger: Logger
  readonly metrics?: Metrics | undefined
}

const EVERY_MS = 5_000

/**
 * Deletes the rows of organizations that are being deleted, batch by batch, until none is left. Each batch is a transaction, so
 * the end of the process at any moment loses at most one, and the next round of any replica goes on.
 */
export function startOrganizationDeletion({ deletions, logger, metrics }: Options): {
  stop(): Promise<void>
} {
  let deleting = 0
  let stopping = false
  metrics?.gauge(
    {
      name: 'signet_directory_deleting_organizations',
      help: 'Organizations whose rows are being deleted in the background, by all replicas together.',
      labels: [],
    },
    () => [{ labels: {}, value: deleting }],
  )

  async function round(): Promise<void> {
    let ids = await deletions.findDeleting()
    deleting = ids.length
    // One batch of each in turn: a large organization, or one that fails, does not delay the others.
    while (ids.length > 0) {
      const unfinished: string[] = []
      for (const organizationId of ids) {
        if (stopping) return
        try {
          if (await deletions.deleteBatch(organizationId)) unfinished.push(organizationId)
        } catch (error) {
          logger.error('organization_deletion_failed', { organizationId, error })
        }
      }
      ids = unfinished
    }
  }

  const rounds = repeat(EVERY_MS, round, (error) => logger.warn('organization_deletion_failed', { error }))
  return {
    async stop() {
      stopping = true
      await rounds.stop()
    },
  }
}
