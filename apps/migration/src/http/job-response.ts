import { ApiError } from '@signet/admin-api/api-error'
import { invalidFields } from '@signet/admin-api/json-error-handler'
import type { Request, Response } from 'express'
import type { Job } from '../jobs/job.ts'
import { isSealed } from '../storage/packed-document.ts'
import { parseDuration } from './duration.ts'

/** The body of the response to a job that has ended. */
export interface JobResult {
  /** JSON unless given. */
  readonly type?: string
  readonly pieces: AsyncIterable<string | Buffer>
}

/** Responds to a call that starts a job: with the job at once, or with its result. */
export interface RespondWithJob {
  /** 202, and the job in `Location`. */
  withJob(res: Response, jobId: string): Promise<void>
  /** Waits for the job and sends its result. The job continues when the caller disconnects. */
  whenDone(res: Response, jobId: string, result: JobResult): Promise<void>
}

interface RespondWithJobOptions {
  readonly find: (jobId: string) => Promise<Job | undefined>
  readonly wait: (jobId: string, givenUp: () => boolean) => Promise<Job | undefined>
}

export function createRespondWithJob({ find, wait }: RespondWithJobOptions): RespondWithJob {
  return {
    async withJob(res, jobId) {
      const job = await find(jobId)
      res
        .status(202)
        .set('Location', jobPath(jobId))
        .json(job && jobBody(job))
    },
    async whenDone(res, jobId, { type = 'application/json', pieces }) {
      const job = await wait(jobId, () => res.closed)
      if (job === undefined) return
      const refusal = jobRefusal(job)
      if (refusal !== undefined) throw refusal
      res.status(200).set('X-Signet-Job', jobId).type(type)
      await writeAll(res, pieces)
    },
  }
}

/** Whether the caller wants the job instead of its result (RFC 7240 section 4.1). */
export function prefersAsync(req: Request): boolean {
  return /(^|,)\s*respond-async\s*(;|,|$)/i.test(String(req.headers.prefer ?? ''))
}

/** Writes at the pace of the reader. */
export async function writeAll(res: Response, pieces: AsyncIterable<string | Buffer>): Promise<void> {
  for await (const piece of pieces) {
    if (res.closed) return
    if (!res.write(piece)) await drained(res)
  }
  res.end()
}

function drained(res: Response): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      res.off('drain', done)
      res.off('close', done)
      resolve()
    }
    res.on('drain', done)
    res.on('close', done)
  })
}

const STATES = { timed_out: 'timedOut', staging: 'queued' } as const

export const jobPath = (id: string): string => `/admin/v1/jobs/${id}`

/** A job as JSON of the API. Values that are not known yet are absent. */
export function jobBody(job: Job) {
  const {
    id,
    kind,
    state,
    phase,
    startedAt,
    endedAt,
    createdBy,
    createdAt,
    resumable,
    error,
    notes,
    request,
    isUndone,
    records,
    credentials,
  } = job
  const plan = planBody(job)
  return {
    id,
    kind,
    state: state in STATES ? STATES[state as keyof typeof STATES] : state,
    phase,
    counts: countsOf(job),
    ...(records && { records }),
    createdAt: createdAt.toISOString(),
    ...(startedAt && { startedAt: startedAt.toISOString() }),
    ...(endedAt && { finishedAt: endedAt.toISOString() }),
    createdBy,
    resumable,
    ...(plan && { plan }),
    ...(credentials && { credentials }),
    ...(isUndone && { isUndone }),
    ...(kind === 'undo' && { undoOf: request.import, force: request.force }),
    ...(error && { error: { message: error.message, details: error.details } }),
    ...(notes.length > 0 && { notes }),
    ...(hasResult(job) && { result: resultOf(job) }),
  }
}

/** Imports and exports have other outcomes than undos. */
function countsOf({ kind, counts }: Job) {
  const { deleted, restored, kept, withChanges, blocked, ...others } = counts
  const { total, done, skipped } = others
  if (kind === 'undo') return { total, done, deleted, restored, kept, skipped }
  return kind === 'import' ? { ...others, blocked, withChanges } : others
}

/** The actions that a dry run counted, by kind; undefined when the job is none, or can no longer be applied. */
export function planBody({ id, planExpiresAt, counts }: Job) {
  if (planExpiresAt === null) return undefined
  const { created: create, updated: update, skipped: skip, failed: conflict, blocked } = counts
  return { id, create, update, skip, conflict, blocked, expiresAt: planExpiresAt.toISOString() }
}

/** Whether the job has a report; an import that was refused for invalid records has one, too. */
const hasResult = ({ kind, state, counts }: Job) =>
  state === 'succeeded' ||
  state === 'partial' ||
  (kind === 'import' && state === 'failed' && counts.invalid > 0)

function resultOf({ id, kind, request, hasRejects }: Job) {
  if (kind === 'export') {
    return {
      ...(request.storage === undefined
        ? { document: `/admin/v1/jobs/${id}/document` }
        : { storage: request.storage }),
      ...(isSealed(request) && { sealed: true }),
    }
  }
  return {
    report: `${jobPath(id)}/report`,
    ...(kind === 'import' && { leftOut: `${jobPath(id)}/left-out` }),
    ...(hasRejects && { rejects: `${jobPath(id)}/rejects` }),
  }
}

/** The error of a call whose job did not succeed; undefined when it did. */
function jobRefusal({ id, state, error }: Job): ApiError | undefined {
  const details = [{ jobId: id }]
  const headers = { Location: jobPath(id) }
  switch (state) {
    case 'timed_out':
      return new ApiError(
        'DEADLINE_EXCEEDED',
        'the job took longer than its timeout; what is done stays, and the job can be resumed',
        {
          reason: 'job_timed_out',
          headers,
          details: details.map((detail) => ({ id: 'job_timed_out', ...detail })),
        },
      )
    case 'cancelled':
      return new ApiError(
        'ABORTED',
        'the job was cancelled; what is done stays, and the job can be resumed',
        {
          reason: 'job_cancelled',
          headers,
          details: details.map((detail) => ({ id: 'job_cancelled', ...detail })),
        },
      )
    case 'failed': {
      const reason = error?.details[0]?.id ?? 'job_failed'
      return new ApiError(error?.code ?? 'INTERNAL', error?.message ?? 'the job failed', {
        reason,
        details: (error?.details ?? [{ id: reason }]).map((detail) => ({ ...detail, jobId: id })),
      })
    }
    default:
      return undefined
  }
}

const DEFAULT_MS = 600_000
const LEAST_MS = 1_000
const MOST_MS = 86_400_000

/** Milliseconds of the member `timeout` of a call; undefined when it is not a duration from 1 s to 24 h. */
export function callTimeoutMs(timeout: unknown): number | undefined {
  if (timeout === undefined || timeout === null) return DEFAULT_MS
  const milliseconds = typeof timeout === 'string' ? parseDuration(timeout) : undefined
  if (milliseconds === undefined || milliseconds < LEAST_MS || milliseconds > MOST_MS) return undefined
  return Math.round(milliseconds)
}

/** The problem of a call whose timeout is no such duration. */
export const TIMEOUT_PROBLEM = {
  field: 'timeout',
  rule: 'must be a duration from 1s to 24h, such as 10m',
} as const

/** The same, or ApiError INVALID_ARGUMENT. */
export function requireTimeout(timeout: unknown): number {
  const milliseconds = callTimeoutMs(timeout)
  if (milliseconds === undefined) throw invalidFields([TIMEOUT_PROBLEM])
  return milliseconds
}
