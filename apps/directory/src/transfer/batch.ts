import type { AuditActor } from '@signet/admin-api/audit/audit-table'
import type { Queryable } from '@signet/platform/postgres/pool'
import type { PasswordComplexity } from '../accounts/account.ts'
import type { BatchPlan, Difference } from '../undo/change-recorder.ts'
import type { Crossing } from './crossing.ts'
import type { BatchContext, BrokenRule, LeftOut } from './record-writer.ts'

/** Records of one list of one organization. */
export interface Batch extends Omit<BatchContext, 'organizationIds' | 'accepted'> {
  readonly batch: number
  readonly organizationId: string
  readonly list: string
  readonly records: readonly unknown[]
  readonly onConflict: 'skip' | 'update' | 'fail'
  readonly dryRun: boolean
  readonly planned: readonly PlannedObject[]
  /** Organizations that exist and that the call of the import names: the document may write into them. */
  readonly namedOrganizations: readonly string[]
  /** Plan of a dry run of the same batch: the batch is written if its outcomes are the planned ones. */
  readonly plan: Buffer | undefined
  /** How long the batch can be taken back; 0: not at all. */
  readonly undoDays: number
  readonly actor: AuditActor
}

/** An object that the document brings before this batch. */
export interface PlannedObject {
  readonly kind: string
  readonly id: string
  readonly ownerId: string
}

export interface BatchOutcome {
  /** Outcomes, a letter for each record: c created, u updated, s skipped, f failed. */
  readonly outcomes: string
  /** Records that failed, and parts that were left out of records that were written. */
  readonly failures: readonly LeftOut[]
  readonly notes: readonly string[]
  /** Plan that a dry run returns. */
  readonly plan?: BatchPlan
  /** Differences between the outcomes and the planned ones: nothing was written then. */
  readonly differences?: readonly Difference[]
}

/** The number of a batch of an import, and how many records it has. */
export interface ImportedBatch {
  readonly batch: number
  readonly recordCount: number
}

export interface AppliedBatchStore {
  /** Makes this transaction the only one that applies the batches, and returns the outcomes of those that were applied before. */
  claim(tx: Queryable, jobId: string, batches: readonly number[]): Promise<ReadonlyMap<number, BatchOutcome>>
  /** Keeps batches that were not applied from being applied later, by a call that was slow; returns the outcomes of the others. */
  close(
    tx: Queryable,
    jobId: string,
    batches: readonly ImportedBatch[],
  ): Promise<ReadonlyMap<number, BatchOutcome>>
  /** Stores the outcomes, with an audit event for each batch and for each crossing, in the transaction of the rows. */
  store(tx: Queryable, applied: readonly AppliedBatch[]): Promise<void>
  /** Lets statements use indexes only: the planner takes tables that are just being filled for empty ones. */
  useIndexes(tx: Queryable): Promise<void>
  /** The organizations' own rules for passwords; nothing for one that has none, or is not there yet. */
  passwordComplexities(
    database: Queryable,
    organizationIds: readonly string[],
  ): Promise<ReadonlyMap<string, PasswordComplexity>>
  /** Inserts the placeholders of a dry run, in a transaction that will be rolled back. */
  insertPlaceholders(tx: Queryable, jobId: string, planned: readonly PlannedObject[]): Promise<void>
  /** Runs `work` so that what it did is undone when it fails. */
  savepoint(tx: Queryable, work: () => Promise<void>): Promise<void>
  /** Returns the rule of the tables that a failed statement broke; undefined when it was something else. */
  brokenRule(error: unknown): BrokenRule | undefined
}

export interface AppliedBatch {
  readonly batch: Batch
  readonly outcome: BatchOutcome
  /** The roles, keys, links and grants that concern an organization which was there before. */
  readonly crossings: readonly Crossing[]
}
