import type { Attempt } from '@signet/admin-api/audit/audit-recorder'
import type { CredentialCounts } from './credential-counts.ts'

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
  /** Set for an import whose document is staged. */
  readonly credentials: CredentialCounts | null
  /** The data for continuing are still stored. */
  readonly resumable: boolean
  /** Invalid records are stored, and can be downloaded. */
  readonly hasRejects: boolean
  /** When a dry run that has ended can no longer be applied; null for other jobs. */
  readonly planExpiresAt: Date | null
  /** An undo of this import has begun. */
  readonly isUndone: boolean
  /** Id of the request that started the job, or let it go on; null for one of the version before. */
  readonly requestId: string | null
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
  /** Records that refer to a record of the document that was not imported. */
  readonly blocked: number
  /** Records of the document that break a rule and are left out; `total` does not count them. */
  readonly invalid: number
  /** Records that were created or updated without a part that broke a rule. */
  readonly withChanges: number
  /** Number of objects that an undo deleted. */
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
  /** Whether the job may succeed when it is resumed. */
  readonly resumable: boolean
  readonly details: readonly (Readonly<{ id: string }> & Readonly<Record<string, unknown>>)[]
}

export const hasEnded = ({ state }: Pick<Job, 'state'>): boolean =>
  !['staging', 'queued', 'running'].includes(state)

export interface ImportRequest {
  /** Organizations that exist already and that the document may write into. Absent in a job of the version before: none. */
  readonly orgIds?: readonly string[]
  readonly onConflict: 'skip' | 'update' | 'fail'
  /** Absent in a job of the version before: `fail`. */
  readonly onInvalid?: 'fail' | 'skip' | 'without_password'
  readonly dryRun: boolean
  /** The import applies the plan that its dry run made. */
  readonly appliesPlan?: true
  /** The administrator who applied the plan; another one may have made it. */
  readonly appliedBy?: string
  readonly appliedByKind?: Job['actorKind']
  /** Accepts an object whose checksum does not match its bytes. */
  readonly ignoreChecksum: boolean
  /** The member that names a storage location; absent when the document was in the request. */
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
  /** Whether objects that were changed since are undone, too. */
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
  /** `staging` while a document is received over a connection; a job in `queued` is accepted. */
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

/** The call of an import whose document was in the request. */
export interface ReceivedCall {
  readonly attempt: Attempt
  readonly request: Readonly<Record<string, unknown>>
}

export type KnownJob = Pick<Job, 'id' | 'kind'>

/** The jobs. Times are those of the database, in which all processes agree. */
export interface JobRepository {
  /** Writes the audit event now for a queued job, and in `accept` for a staged one. */
  add(job: NewJob): Promise<void>
  find(jobId: string): Promise<Job | undefined>
  /** The newest first, from the one after `after` on. */
  list(after: string | undefined, most: number): Promise<readonly Job[]>
  /** Called when the last byte is staged: from then on the job survives every crash. */
  accept(jobId: string, attempt: Attempt, accepted: AcceptedImport): Promise<void>
  /** Deletes a job that was never accepted. */
  discard(jobId: string): Promise<void>
  isReachable(): Promise<boolean>

  /** Makes a queued job a running one. A plan that must be compared can start only in phase `comparing`. */
  start(jobId: string, phase: string): Promise<void>
  /**
   * Makes this worker the only one that does this phase of the job, and returns the number of the attempt. Undefined when a
   * live worker does it, when it is done, or when the job is not running any more. A claim that rejects may have been stored;
   * the same worker may repeat it.
   */
  claim(jobId: string, workerId: string, phase: string): Promise<number | undefined>
  /**
   * Gives up a claim, so that the job may end or continue in another worker. `attempt` is undefined when `claim` rejected. A
   * claim of the same worker with another attempt stays.
   */
  leave(jobId: string, workerId: string, attempt: number | undefined): Promise<void>
  /** Sets the phase of a running job that does not compare a plan. */
  setPhase(jobId: string, phase: string): Promise<void>
  /** Begins the phase after the one that this attempt claimed. Returns false when a later attempt has the job. */
  beginNextPhase(jobId: string, attempt: number, phase: string): Promise<boolean>
  setNotes(jobId: string, notes: readonly string[]): Promise<void>
  setRecords(jobId: string, records: Readonly<Record<string, number>>): Promise<void>
  /** Reads a job without its counts, for which `find` reads all of its batches. */
  findTimes(jobId: string): Promise<Pick<Job, 'endedAt' | 'deadlineAt'> | undefined>
  /** Whether this attempt is the latest, the job has time left and no stop was requested. */
  mayContinue(jobId: string, attempt: number): Promise<boolean>
  /** Stores the counts of this attempt if it is the latest. Returns the same as `mayContinue`. */
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
      /** Number of the attempt; the update has no effect when a later attempt has the job. */
      readonly attempt?: number
    },
  ): Promise<void>
  fail(jobId: string, error: JobError): Promise<void>
  /** Ends a plan that this attempt compares. Returns false when another worker applies it already. */
  failBeforeApplying(jobId: string, attempt: number, error: JobError): Promise<boolean>
  /**
   * Ends an import whose document is refused, and deletes its staged batches; its invalid records stay if all of them are
   * stored. Given `received`, also writes an audit event for an import that is not accepted yet. Does not change a job that has
   * ended.
   */
  refuse(jobId: string, refusal: Refusal, received?: ReceivedCall): Promise<void>
  /** Cancels the job when no batch of it is running any more. Returns false when it has ended already. */
  requestStop(job: KnownJob, attempt: Attempt): Promise<boolean>
  /**
   * Ends the job if no worker works on it, and its deadline has passed or a stop was requested.
   * Returns whether the job may still continue.
   */
  checkDeadline(jobId: string): Promise<boolean>
  /**
   * Makes a plan an import that applies it, with its whole timeout, and returns the number of the attempt. Returns undefined
   * unless the job is a plan that can still be applied, so of two callers one succeeds.
   */
  applyPlan(job: KnownJob, attempt: Attempt, timeoutMs?: number): Promise<number | undefined>
  /**
   * Adds a job that undoes an ended import; the import can then not be resumed. Returns false when another undo of it has not
   * ended, or when there is no such import.
   */
  addUndo(undo: NewUndo, attempt: Attempt): Promise<boolean>
  /** Puts an ended job back into the queue, with its whole timeout, and returns the number of the attempt; undefined unless it can continue. */
  resume(job: KnownJob, attempt: Attempt, timeoutMs?: number): Promise<number | undefined>
}
