import type { Attempt } from '@signet/admin-api/audit/audit-log'
import type { Job, JobError } from './job.ts'

export interface NewJob {
  readonly id: string
  readonly kind: Job['kind']
  /** `staging` while a document is coming in over a connection; a job in `queued` is accepted. */
  readonly state: 'staging' | 'queued'
  readonly attempt: Attempt
  readonly workerId: string
  readonly request: Readonly<Record<string, unknown>>
  readonly timeoutMs: number
  readonly sealedOrder?: Buffer | undefined
}

export interface AcceptedImport {
  readonly request: Readonly<Record<string, unknown>>
  readonly timeoutMs: number
  readonly notes: readonly string[]
  readonly sealedOrder?: Buffer | undefined
}

export type KnownJob = Pick<Job, 'id' | 'kind'>

/** The jobs. Times are those of the database, in which all processes agree. */
export interface JobStore extends JobRecords, JobRuns, JobEndings {}

/** How jobs come into being, and what is known of them. */
export interface JobRecords {
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
}

/** The changes of a worker to a job that it runs. */
export interface JobRuns {
  /** Makes a queued job a running one. */
  start(jobId: string, phase: string): Promise<void>
  /**
   * Makes this worker the only one that does this phase of the job, and answers which attempt that is. Undefined when a
   * live worker does it, when it is done, or when the job is not running any more.
   */
  claim(jobId: string, workerId: string, phase: string): Promise<number | undefined>
  /** Gives up a claim, so that the job may end or go on elsewhere. */
  leave(jobId: string, workerId: string): Promise<void>
  setPhase(jobId: string, phase: string): Promise<void>
  /** Ends the phase that this attempt claimed by beginning the next; false when a later one has the job by now. */
  passOn(jobId: string, attempt: number, phase: string): Promise<boolean>
  setNotes(jobId: string, notes: readonly string[]): Promise<void>
  /** Whether this attempt is the last, the job has time left and is not asked to stop. */
  goesOn(jobId: string, attempt: number): Promise<boolean>
  /** Returns whether the job goes on: it has time left and is not asked to stop. */
  setProgress(jobId: string, progress: { readonly total: number; readonly done: number }): Promise<boolean>
}

/** How jobs end, and begin again. */
export interface JobEndings {
  finish(
    jobId: string,
    end: { readonly state: 'succeeded' | 'partial'; readonly notes: readonly string[] },
  ): Promise<void>
  fail(jobId: string, error: JobError): Promise<void>
  /** Lets the job end as cancelled as soon as nothing of it is under way; false when it has ended already. */
  requestStop(job: KnownJob, attempt: Attempt): Promise<boolean>
  /**
   * Ends jobs that shall stop and have nothing under way: those whose time is over, and those that were asked to.
   * Answers whether this one may still go on.
   */
  settle(jobId: string): Promise<boolean>
  /** Puts an ended job back into the queue, with its time from now; undefined unless it can go on. */
  resume(job: KnownJob, attempt: Attempt, timeoutMs?: number): Promise<number | undefined>
}
