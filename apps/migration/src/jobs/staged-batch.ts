import type { CredentialCounts } from './credential-counts.ts'
import type { ImportRequest } from './job.ts'

/** The list under which what an organization says of itself is staged. */
export const ORGANIZATION = 'organization'

/** The shares of the batches that one call of the directory takes. */
export const WHOLE_CALL = 1_000

export interface NewBatch {
  readonly batch: number
  readonly stage: number
  readonly ordinal: number
  readonly list: string
  readonly firstIndex: number
  /** Index of each record in its list; undefined when they are consecutive from `firstIndex` on. */
  readonly indexes: readonly number[] | undefined
  /** Records without their invalid credentials. */
  readonly withoutCredentials: boolean
  /** How much of one call of the directory it takes up, in thousandths: batches of one list share a call up to 1,000. */
  readonly callShare: number
  readonly ids: readonly string[]
  readonly entries: readonly unknown[] | undefined
  readonly unique: readonly { readonly key: string; readonly at: number }[]
  readonly sealed: Buffer
}

export interface ClaimedBatch {
  readonly batch: number
  readonly stage: number
  readonly list: string
  readonly organizationId: string
  readonly recordCount: number
  readonly ids: readonly string[]
  /** Null in an undo. */
  readonly sealed: Buffer | null
  /** Plan of a dry run, for the import that applies it. */
  readonly plan: Buffer | null
  /** Positions of records that are not imported. */
  readonly leftOut: readonly number[]
  /** How many workers were lost that had claimed it. */
  readonly lostWorkers: number
}

/** A batch with records that share what must be unique with earlier ones. */
export interface DuplicatesBatch {
  readonly batch: number
  readonly ordinal: number
  readonly list: string
  readonly firstIndex: number
  readonly indexes: readonly number[] | null
  readonly ids: readonly string[]
  readonly sealed: Buffer
  readonly leftOut: readonly number[]
}

/** A record that failed, or a part that was left out of one that was written. */
export interface Failure {
  readonly index: number
  readonly message: string
  /** Type of a part that is an object of its own. */
  readonly type?: string
  readonly id?: string
  /** The client id or user name of the record. */
  readonly record?: string
  /** The member that was left out, and its value where that cannot be a secret. */
  readonly member?: string
  readonly value?: string
  /** An object that the record refers to is not there, or lies in an organization that the document does not write into. */
  readonly isMissing?: true
  /** The record of the document that this one refers to and that is not imported. */
  readonly blockedBy?: { readonly kind: string; readonly id: string }
}

/** How many records were written without a part that broke a rule. */
export function changedRecords(outcomes: string, failures: readonly Failure[]): number {
  return new Set(failures.flatMap(({ index }) => (isWritten(outcomes, index) ? [index] : []))).size
}

/** Whether the record at an index was created or updated. */
export const isWritten = (outcomes: string | null, index: number): boolean =>
  outcomes?.[index] === 'c' || outcomes?.[index] === 'u'

export interface AppliedBatch {
  readonly batch: number
  readonly outcomes: string
  readonly failures: readonly Failure[]
  readonly notes: readonly string[]
  /** Plan of a dry run. */
  readonly plan?: { readonly sealed: Buffer; readonly changes: readonly PlannedChange[] }
}

/** The fields that an update would change. */
export interface PlannedChange {
  readonly index: number
  readonly fields: readonly string[]
}

/** List of a report, with the outcomes of its records. */
export interface ReportedBatch {
  readonly batch: number
  readonly ordinal: number
  readonly organizationId: string | null
  readonly list: string
  readonly firstIndex: number
  readonly indexes: readonly number[] | null
  readonly ids: readonly string[]
  readonly entries: readonly unknown[] | null
  readonly outcomes: string | null
  readonly failures: AppliedBatch['failures'] | null
  readonly changes: readonly PlannedChange[] | null
}

export interface NamedOrganization {
  readonly ordinal: number
  readonly organizationId: string
}

/** The records of a document, in batches, until they are applied. */
export interface StagedBatchRepository {
  add(jobId: string, batches: readonly NewBatch[]): Promise<void>
  nameOrganizations(jobId: string, organizations: readonly NamedOrganization[]): Promise<void>
  /** Stores the counts of the whole document. */
  storeCredentials(jobId: string, counts: CredentialCounts): Promise<void>
  /** Forgets everything that was staged, so that this attempt can begin; false when a later one has the job by now. */
  clear(jobId: string, attempt: number): Promise<boolean>
  /** Drops what this import does not ask for: records without their invalid credentials, or the rejects that they come from. */
  decide(jobId: string, onInvalid: NonNullable<ImportRequest['onInvalid']>): Promise<void>
  /** Records that share what must be unique with an earlier one, at most `most` of them. */
  duplicates(jobId: string, most: number): Promise<readonly Duplicate[]>
  /** Marks every record that shares what must be unique with an earlier one as left out. Repeating it changes nothing. */
  leaveOutDuplicates(jobId: string): Promise<void>
  /** The batches that have such records, and the batches with the fields of their organizations. */
  batchesWithDuplicates(jobId: string): AsyncIterable<DuplicatesBatch>
  /** Writes down what a dry run takes for done. Repeating it changes nothing. */
  planKeys(jobId: string): Promise<void>
  /** Returns the keys that the document contains, with their organizations. */
  plannedKeys(jobId: string, keys: readonly string[]): Promise<ReadonlyMap<string, string>>
  /**
  /**
   * Claims the next batch of the lowest stage that is not done, with as many of its list behind it as one call of the
   * directory takes, in their order; no other worker gets them while this one is alive. An undo claims the last one first.
   * `waiting`: others work on the rest of the stage; `done`: nothing is left. Batches of service users are claimed by one
   * worker after the other, and after all people: the id of a person may be the client id of a service user, and its owner
   * must not depend on timing.
   * `stopped` also when `isDryRun` is given and the job is no longer of that kind: a worker of a dry run that waited while its
   * plan began to be applied would note as done what it does not write.
   * A claim of a worker that was lost counts against the batch, unless the worker was stopping. Such a batch is claimed
   * alone, and a worker has one at a time, so that the batches beside one that ends its worker do not count its end.
   */
  claim(
    jobId: string,
    workerId: string,
    isDryRun?: boolean,
  ): Promise<readonly [ClaimedBatch, ...ClaimedBatch[]] | 'waiting' | 'done' | 'stopped'>
  /** The batches of a plan that is not applied yet, each part as one call of the directory takes it. */
  plannedCalls(jobId: string): AsyncIterable<readonly ClaimedBatch[]>
  /** Ends a batch that lost too many workers without another try; see `setAside`. */
  setAside(jobId: string, claimed: ClaimedBatch, kind: 'import' | 'undo'): Promise<void>
  /** Gives batches back that this worker did not apply, and shows that the worker was not lost with them. */
  release(jobId: string, batches: readonly number[], workerId: string): Promise<void>
  /**
   * Completes batches. With plans it does nothing once the job applies its plan; before that it also removes the keys
   * of records that fail from those that the dry run takes for done.
   */
  complete(jobId: string, batches: readonly AppliedBatch[]): Promise<void>
  /** Returns the batches in the order of the result: organization by organization, list by list. */
  report(jobId: string): AsyncIterable<ReportedBatch>
  /** Returns the batches in which a record, or a part of one, failed. */
  reportFailures(jobId: string): AsyncIterable<ReportedBatch>
  /** Whether a record, or a part of one, was not imported. */
  hasFailures(jobId: string): Promise<boolean>
  /** Each once; those that begin with a number and are equal behind it are one note with the sum. */
  notes(jobId: string, most: number): Promise<ReportedNotes>
}

export type ReportedNotes = { readonly notes: readonly string[]; readonly total: number }

/** A record that shares what must be unique with an earlier one. */
export interface Duplicate {
  readonly ordinal: number
  readonly list: string
  readonly index: number
  readonly key: string
}
