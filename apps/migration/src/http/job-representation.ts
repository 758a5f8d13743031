import { ApiError } from '@signet/admin-api/api-error'
import type { Job } from '../runs/job.ts'

const STATES = { timed_out: 'timedOut', staging: 'queued' } as const

export const jobPath = (id: string): string => `/admin/v1/jobs/${id}`

/** A job as JSON of the API. Values that are not known yet are absent. */
export function jobBody(job: Job) {
  const {
    id,
    kind,
    state,
    phase,
    counts,
    startedAt,
    endedAt,
    createdBy,
    createdAt,
    resumable,
    error,
    notes,
  } = job
  return {
    id,
    kind,
    state: state in STATES ? STATES[state as keyof typeof STATES] : state,
    phase,
    counts,
    createdAt: createdAt.toISOString(),
    ...(startedAt && { startedAt: startedAt.toISOString() }),
    ...(endedAt && { finishedAt: endedAt.toISOString() }),
    createdBy,
    resumable,
    ...(error && { error: { message: error.message, details: error.details } }),
    ...(notes.length > 0 && { notes }),
    ...(hasResult(job) && { result: resultOf(job) }),
  }
}

const hasResult = ({ state }: Job) => state === 'succeeded' || state === 'partial'

function resultOf({ id, kind, request }: Job) {
  if (kind === 'export' && request.storage !== undefined) return { storage: request.storage }
  return kind === 'export'
    ? { document: `/admin/v1/jobs/${id}/document` }
    : { report: `/admin/v1/jobs/${id}/report` }
}

/** The error of a call whose job did not succeed; undefined when it did. */
export function jobRefusal({ id, state, error }: Job): ApiError | undefined {
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
