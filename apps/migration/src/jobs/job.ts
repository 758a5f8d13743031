import type { Attempt } from '@signet/admin-api/audit/audit-recorder'
import type { CredentialCounts } from '../rehearsal/credential-counts.ts'

/** An export, an import or the undo of one, without its secrets. */
export interface Job {
  readonly id: string
  readonly kind: 'export' | 'import' | 'undo'
  readonly state: JobState
  readonly phase: string
  readonly createdBy: string
  readonly actorKind: 'human' | 'service_user'
  readonly request: Readonly<Record<string, unknown>>
  readonly attempt: number
  readonly timeoutMs: number
  readonly createdAt: Date
  readonly acceptedAt: Date | null
  readonly deadlineAt: Date | null
  readonly startedAt: Date | null
  readonly endedAt: Date | null
  readonly error: JobError | null
  readonly notes: readonly string[]
  readonly counts: JobCounts
  /** How many records each list of an export has; null until they are counted, and for other jobs. */
  readonly records: Readonly<Record<string, number>> | null
  /** Of an import whose document is staged. */
  readonly credentials: CredentialCounts | null
  /** The data for continuing are still stored. */
  readonly resumable: boolean
  /** Invalid records are stored, and can be downloaded. */
  readonly hasRejects: boolean
  /** When a dry run that has ended can no longer be applied; null for other jobs. */
  readonly planExpiresAt: Date | null
  /** An undo of this import has begun. */
  readonly isUndone: boolean
}

export type JobState =
  | 'staging'
  | 'queued'
  | 'running'
  | 'succeeded'
  | 'partial'
  | 'failed'
  | 'timed_out'
  | 'cancelled'

export interface JobCounts {
  readonly total: number
  readonly done: number
  readonly created: number
  readonly updated: number
  readonly skipped: number
  readonly failed: number
  /** Records of the document that break a rule and are left out; `total` does not count them. */
  readonly invalid: number
  /** Of an undo. */
  readonly deleted: number
  readonly restored: number
  readonly kept: number
}

/** The reason of a failed job, as the API returns it. */
export interface JobError {
  readonly code:
    | 'INVALID_ARGUMENT'
    | 'NOT_FOUND'
    | 'ABORTED'
    | 'FAILED_PRECONDITION'
    | 'INTERNAL'
    | 'UNAVAILABLE'
  readonly message: string
  /** Whether going on might end better. */
  readonly resumable: boolean
  readonly details: readonly (Readonly<{ id: string }> & Readonly<Record<string, unknown>>)[]
}

export const hasEnded = ({ state }: Pick<Job, 'state'>): boolean =>
  !['staging', 'queued', 'running'].includes(state)

export interface ImportRequest {
  readonly onConflict: 'skip' | 'update' | 'fail'
  /** Absent in a job of the version before: `fail`. */
  readonly onInvalid?: 'fail' | 'skip' | 'without_password'
  readonly dryRun: boolean
  /** The import applies the plan that its dry run made. */
  readonly appliesPlan?: true
  /** The administrator who applied it, who may be another one than who made it. */
  readonly appliedBy?: string
  readonly appliedByKind?: Job['actorKind']
  /** Accept an object whose bytes are not those that were written. */
  readonly ignoreChecksum: boolean
  /** The member that names a storage location; absent when the document came with the call. */
  readonly storage?: string
}

export interface ExportRequest {
  readonly orgIds: readonly string[]
  readonly excludedOrgIds: readonly string[]
  readonly withPasswords: boolean
  readonly withOtp: boolean
  readonly withPasskeys?: boolean
  readonly withSecrets?: boolean
  /** Public keys of age that the document is sealed for; absent when it is not sealed. */
  readonly recipients?: readonly string[]
  readonly compression?: 'gzip' | 'zstd'
  /** The member that names a storage location; absent when the document is the response. */
  readonly storage?: string
}

export interface UndoRequest {
  /** The job of the import. */
  readonly import: string
  /** Objects that were changed since are taken back, too. */
  readonly force: boolean
}

export interface NewUndo {
  readonly id: string
  readonly importId: string
  readonly force: boolean
  readonly timeoutMs: number
}

export interface NewJob {
  readonly id: string
  readonly kind: Job['kind']
  /** `staging` while a document is coming in over a connection; a job in `queued` is accepted. */
  readonly state: 'staging' | 'queued'
  readonly attempt: Attempt
  readonly workerId: string
  readonly request: Readonly<Record<string, unknown>>
  readonly timeoutMs: number
  readonly sealedLocation?: Buffer | undefined
}

export interface AcceptedImport {
  readonly request: Readonly<Record<string, unknown>>
  readonly timeoutMs: number
  readonly notes: readonly string[]
  readonly sealedLocation?: Buffer | undefined
}

export interface Refusal {
  readonly error: JobError
  readonly hasAllRejects: boolean
}

/** The call of an import that came over a connection. */
export interface ReceivedCall {
  readonly attempt: Attempt
  readonly request: Readonly<Record<string, unknown>>
}

export type KnownJob = Pick<Job, 'id' | 'kind'>

/** The jobs. Times are those of the database, in which all processes agree. */
export interface JobRepository {
  /** Recorded with the job that begins at once; one that is staged is recorded when it is accepted. */
  add(job: NewJob): Promise<void>
  find(jobId: string): Promise<Job | undefined>
  /** The newest first, from the one behind `after` on. */
  list(after: string | undefined, most: number): Promise<readonly Job[]>
  /** The last byte is staged: from now on the job survives anything. */
  accept(jobId: string, attempt: Attempt, accepted: AcceptedImport): Promise<void>
  /** Takes back a job that was never accepted. */
  discard(jobId: string): Promise<void>
  isReachable(): Promise<boolean>

  /** Makes a queued job a running one. A plan that is to be compared only begins with `comparing`. */
  start(jobId: string, phase: string): Promise<void>
  /**
   * Makes this worker the only one that does this phase of the job, and returns the number of the attempt. Undefined when a
   * live worker does it, when it is done, or when the job is not running any more. A claim that rejects may have been stored;
   * the same worker may repeat it.
   */
  claim(jobId: string, workerId: string, phase: string): Promise<number | undefined>
  /**
   * Gives up a claim, so that the job may end or continue in another worker; undefined stands for one that rejected. A claim
   * of the same worker with another attempt stays.
   */
  leave(jobId: string, workerId: string, attempt: number | undefined): Promise<void>
  /** Of a running job that does not compare a plan. */
  setPhase(jobId: string, phase: string): Promise<void>
  /** Ends the phase that this attempt claimed by beginning the next; false when a later one has the job by now. */
  passOn(jobId: string, attempt: number, phase: string): Promise<boolean>
  setNotes(jobId: string, notes: readonly string[]): Promise<void>
  setRecords(jobId: string, records: Readonly<Record<string, number>>): Promise<void>
  /** Of a job, without the counts that `find` reads from all of its batches. */
  findTimes(jobId: string): Promise<Pick<Job, 'endedAt' | 'deadlineAt'> | undefined>
  /** Whether this attempt is the last, the job has time left and is not asked to stop. */
  goesOn(jobId: string, attempt: number): Promise<boolean>
  /** Stores the counts of this attempt if it is the last. Returns what `goesOn` does. */
  setProgress(
    jobId: string,
    attempt: number,
    progress: { readonly total: number; readonly done: number },
  ): Promise<boolean>

  finish(
    jobId: string,
    end: {
      readonly state: 'succeeded' | 'partial'
      readonly notes: readonly string[]
      /** Nothing happens when a later attempt has the job. */
      readonly attempt?: number
    },
  ): Promise<void>
  fail(jobId: string, error: JobError): Promise<void>
  /** Ends a plan that this attempt compares, and returns whether it did: not when another worker applies it already. */
  failBeforeApplying(jobId: string, attempt: number, error: JobError): Promise<boolean>
  /**
   * Ends an import whose document is refused, and deletes what was staged of it; its invalid records stay if all of them
   * are stored. One that is not accepted yet is recorded as an attempt of this administrator. Nothing happens to a job
   * that has ended.
   */
  refuse(jobId: string, refusal: Refusal, received?: ReceivedCall): Promise<void>
  /** Lets the job end as cancelled as soon as nothing of it is under way; false when it has ended already. */
  requestStop(job: KnownJob, attempt: Attempt): Promise<boolean>
  /**
   * Ends the job if it is past its deadline or was asked to stop, and no worker works on it.
   * Returns whether this one may still continue.
   */
  checkDeadline(jobId: string): Promise<boolean>
  /**
   * Makes a plan an import that applies it, with its whole timeout, and returns the number of the attempt. Of two callers one
   * succeeds; undefined unless the job is a plan that can still be applied.
   */
  applyPlan(job: KnownJob, attempt: Attempt, timeoutMs?: number): Promise<number | undefined>
  /**
   * Adds a job that takes an ended import back, which then cannot be resumed. False when another undo of it has not ended, or
   * when there is no such import.
   */
  addUndo(undo: NewUndo, attempt: Attempt): Promise<boolean>
  /** Puts an ended job back into the queue, with its whole timeout, and returns the number of the attempt; undefined unless it can continue. */
  resume(job: KnownJob, attempt: Attempt, timeoutMs?: number): Promise<number | undefined>
}
