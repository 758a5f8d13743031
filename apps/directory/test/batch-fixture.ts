import { randomBytes } from 'node:crypto'
import type { Database, Queryable } from '@signet/platform/postgres/pool'
import { watchedTransaction } from '@signet/testing/watched-transaction'
import { postgresAppliedBatches } from '../src/transfer/applied-batches.repository.ts'
import { createApplyBatches } from '../src/transfer/apply-batch.ts'
import { readAuthorityFacts } from '../src/transfer/authority-facts.repository.ts'
import type { Batch } from '../src/transfer/batch.ts'
import { transferWriters } from '../src/transfer-services.ts'
import { createChangeRecorder } from '../src/undo/change-recorder.ts'
import { createOpener, objectRows } from '../src/undo/object-rows.repository.ts'
import { createUndoBatchRepository } from '../src/undo/undo-batch.repository.ts'
import type { DirectoryFixture } from './directory-fixture.ts'

export const ORGANIZATIONS = ['one', 'two', 'three', 'four', 'five']

export const actor = { kind: 'service_user', id: 'migrator' } as const

export const person = (userId: string, displayName = userId) => ({
  userId,
  user: { userName: userId, profile: { firstName: 'Given', lastName: userId, displayName } },
})

/** Applies batches to the directory of a fixture, and reads what they wrote. */
export function batchFixture(fixture: DirectoryFixture) {
  function apply(batches: readonly Batch[], database: Database = fixture.owner) {
    const sealing = { masterKeys: fixture.masterKeys, random: randomBytes }
    return createApplyBatches({
      hashPasswords: async (users) => ({ users, leftOut: [] }),
      database,
      readAuthorityFacts,
      batches: postgresAppliedBatches,
      changes: createChangeRecorder({
        rows: objectRows,
        undoBatches: createUndoBatchRepository(sealing),
        openerOf: createOpener,
        ...sealing,
      }),
      writers: transferWriters({ ...sealing, rpId: 'localhost' }),
    })(batches)
  }

  function batchOf(
    jobId: string,
    batch: number,
    organizationId: string,
    records: readonly unknown[],
    more: Partial<Batch> = {},
  ): Batch {
    return {
      ...{ jobId, batch, organizationId, records, actor },
      list: 'humanUsers',
      onConflict: 'update',
      dryRun: false,
      planned: [],
      namedOrganizations: [...ORGANIZATIONS, 'open', 'wide'],
      plan: undefined,
      undoDays: 30,
      acceptedAt: fixture.clock.now(),
      domainSuffix: 'localhost',
      ...more,
    }
  }

  /** Two people in each organization. */
  const everywhere = (jobId: string, more: Partial<Batch> = {}) =>
    ORGANIZATIONS.map((id, index) =>
      batchOf(jobId, index, id, [person(`${jobId}-${id}-a`), person(`${jobId}-${id}-b`)], more),
    )

  const owners = async (jobId: string) =>
    (
      await fixture.rows(
        `SELECT organization_id || ' ' || user_id AS owned FROM directory.account WHERE user_id LIKE $1 || '-%' ORDER BY 1`,
        [jobId],
      )
    ).map(({ owned }) => owned)

  return { apply, batchOf, everywhere, owners }
}

/** Counts the statements and transactions of a database. */
export function counted(database: Database) {
  const count = { statements: 0, transactions: 0 }
  const counting = (queryable: Queryable): Queryable => ({
    query(statement) {
      count.statements += 1
      return queryable.query(statement)
    },
  })
  return {
    count,
    database: {
      ...database,
      ...counting(database),
      transaction(work, options) {
        count.transactions += 1
        return database.transaction((tx) => work(watchedTransaction(counting(tx), tx)), options)
      },
    } satisfies Database,
  }
}
