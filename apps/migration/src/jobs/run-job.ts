import { RpcError } from '@signet/grpc/error'
import type { Logger } from '@signet/platform/logger/logger'
import type { Metrics } from '@signet/platform/metrics/metrics'
import { duringRequest } from '@signet/platform/runtime/current-request'
import { DependencyUnavailableError } from '@signet/platform/runtime/dependency-unavailable'
import { MasterKeyUnknownError } from '../sealing.ts'
import { ObjectStorageError } from '../storage/storage-error.ts'
import type { DispatchRepository } from './dispatch.repository.ts'
import { hasEnded, type Job, type JobError, type JobRepository } from './job.ts'

/** `failed` is our defect, `storage_failed` is an object storage that refused or broke off, all else has `ended`. */
export type RunOutcome = 'ended' | 'storage_failed' | 'failed'

/** Registers the metric of the runs of this worker, and returns the function that counts one. */
export function createRunCounter(metrics: Metrics | undefined): (outcome: RunOutcome) => void {
  const count = metrics?.counter({
    name: 'signet_migration_runs_total',
    help: 'Runs of exports and imports by how they came to their end; failed is a defect.',
    labels: ['outcome'],
  })
  return (outcome) => count?.({ outcome })
}

interface Dependencies {
  readonly jobs: JobRepository
  readonly dispatches: Pick<DispatchRepository, 'deleteExpired'>
  readonly run: Readonly<Record<Job['kind'], (job: Job) => Promise<void>>>
  /** Called with the outcome of each run. */
  readonly count: (outcome: RunOutcome) => void
  readonly pause: (milliseconds: number) => Promise<void>
  readonly logger: Logger
  /** The worker is to stop: other workers take over its jobs. */
  readonly stopping: () => boolean
}

const PASSING: ReadonlySet<string> = new Set([
  'UNAVAILABLE',
  'DEADLINE_EXCEEDED',
  'CANCELLED',
  'RESOURCE_EXHAUSTED',
])
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5_000
/** A document is written again from its beginning when the storage lost its upload, which is rare. */
const MOST_LOST_UPLOADS = 3

/**
 * Does what there is to do for a job until it ends, waits out dependencies that are away, and makes it fail for
 * anything else. Any number of workers may run one job.
 */
export function createRunJob({ jobs, dispatches, run, count, pause, logger, stopping }: Dependencies) {
  return async (jobId: string): Promise<void> => {
    let pauseMs = FIRST_PAUSE_MS
    let lostUploads = 0
    while (!stopping()) {
      try {
        const job = await jobs.find(jobId)
        if (job === undefined || hasEnded(job) || job.state === 'staging') return
        if (!(await jobs.checkDeadline(jobId))) return
        await duringRequest(job.requestId ?? undefined, () => run[job.kind](job))
        count('ended')
        // Credentials go with the job, not when the reconciler comes by.
        return await dispatches.deleteExpired()
      } catch (error) {
        if (isLostUpload(error)) lostUploads += 1
        const isRepeated = isPassing(error) || (isLostUpload(error) && lostUploads <= MOST_LOST_UPLOADS)
        if (!isRepeated) return await fail(jobId, error)
        logger.warn('job_waits', { jobId, error })
        await pause(pauseMs)
        pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)
      }
    }
  }

  async function fail(jobId: string, error: unknown): Promise<void> {
    if (error instanceof ObjectStorageError) {
      count('storage_failed')
      logger.warn('job_storage_failed', { jobId, error })
      const { message, reason } = error
      const details = [{ id: reason }]
      return await jobs.fail(jobId, {
        code: 'FAILED_PRECONDITION',
        message,
        resumable: error.isTransient,
        details,
      })
    }
    count('failed')
    if (error instanceof MasterKeyUnknownError) {
      logger.error('job_master_key_unknown', { jobId, error })
      return await jobs.fail(jobId, masterKeyUnknown(error))
    }
    logger.error('job_failed', { jobId, error })
    const details = [{ id: 'unexpected' }]
    await jobs.fail(jobId, {
      code: 'INTERNAL',
      message: 'The server met an unexpected condition',
      resumable: true,
      details,
    })
  }
}

/** Whether a dependency is away and may come back. */
export function isPassing(error: unknown): boolean {
  return error instanceof DependencyUnavailableError || (error instanceof RpcError && PASSING.has(error.code))
}

function masterKeyUnknown({ setting }: MasterKeyUnknownError): JobError {
  const sealed = setting === 'SIGNET_MIGRATION_MASTER_KEY' ? 'the records of the job are' : 'the plan is'
  return {
    code: 'FAILED_PRECONDITION',
    message: `${sealed} sealed under a key that ${setting} no longer lists; list it again and resume the job, or import the document again`,
    resumable: true,
    details: [{ id: 'master_key_unknown', setting }],
  }
}

const isLostUpload = (error: unknown): boolean =>
  error instanceof ObjectStorageError && error.reason === 'upload_lost'

interface Patience {
  readonly pause: (milliseconds: number) => Promise<void>
  readonly stopping: () => boolean
}

const PAUSE_MS = 200

/**
 * Repeats a step while the database is away. For claims that must be given back, since other workers never
 * take over the claims of a live one. A stopping worker does not wait: its claims expire with its heartbeat.
 */
export async function untilDone(step: () => Promise<void>, { pause, stopping }: Patience): Promise<void> {
  for (;;) {
    try {
      return await step()
    } catch (error) {
      if (!(error instanceof DependencyUnavailableError) || stopping()) throw error
      await pause(PAUSE_MS)
    }
  }
}

/**
 * Claims a phase of a job, calls `work` with the number of the attempt and gives the claim back, also one whose response was
 * lost. Returns undefined when another worker does the phase, when it is done, or when the job is to stop.
 */
export async function withClaim<T>(
  jobs: Pick<JobRepository, 'claim' | 'leave' | 'checkDeadline'>,
  { jobId, workerId, phase }: { readonly jobId: string; readonly workerId: string; readonly phase: string },
  patience: Patience,
  work: (attempt: number) => Promise<T>,
): Promise<T | undefined> {
  let claimed: { readonly attempt: number | undefined } | undefined
  try {
    const attempt = await jobs.claim(jobId, workerId, phase)
    claimed = { attempt }
    if (attempt !== undefined) return await work(attempt)
  } finally {
    const isOfOther = claimed !== undefined && claimed.attempt === undefined
    if (!isOfOther) await untilDone(() => jobs.leave(jobId, workerId, claimed?.attempt), patience)
  }
  await jobs.checkDeadline(jobId)
  return undefined
}
