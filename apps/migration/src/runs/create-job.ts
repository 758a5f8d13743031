import { ApiError } from '@signet/admin-api/api-error'
import type { Attempt } from '@signet/admin-api/audit/audit-log'
import type { Logger } from '@signet/platform/logger/logger'
import { DependencyUnavailableError } from '@signet/platform/runtime/dependency-unavailable'
import type { StagedSealer } from '../sealing/staged-sealer.ts'
import { sealOrder } from '../storage/sealed-order.ts'
import type { StorageOrder } from '../storage/storage-member.ts'
import type { DispatchStore } from '../stores/dispatch-store.ts'
import type { ImportRequest, Job } from './job.ts'
import type { JobRecords, NewJob } from './job-store.ts'

interface Dependencies {
  readonly jobs: JobRecords
  readonly dispatches: DispatchStore
  readonly sealer: StagedSealer
  readonly dispatch: (jobId: string, attempt: number) => Promise<void>
  readonly workerId: string
  readonly newId: () => string
  readonly logger: Logger
}

type OrderedJob = Pick<NewJob, 'kind' | 'request' | 'timeoutMs'> & {
  readonly order?: StorageOrder | undefined
}

/** Makes jobs and tells workers of them. */
export function jobCreation({ jobs, dispatches, sealer, dispatch, workerId, newId, logger }: Dependencies) {
  return {
    /** A job that may not run before it is accepted; lost with this process, or when it is discarded. */
    async beginImport(attempt: Attempt): Promise<string> {
      return await add(attempt, { kind: 'import', state: 'staging', request: {}, timeoutMs: 0 })
    },
    /** Parts that cannot be removed now never run, and are removed when this process has ended. */
    async discardImport(jobId: string): Promise<void> {
      await jobs
        .discard(jobId)
        .catch((error: unknown) => logger.warn('import_not_discarded', { jobId, error }))
    },
    /** When it rejects nothing is imported, or the error names the job whose outcome is unknown. */
    async acceptImport(
      jobId: string,
      attempt: Attempt,
      more: {
        readonly request: ImportRequest
        readonly timeoutMs: number
        readonly notes: readonly string[]
        readonly order?: StorageOrder | undefined
      },
    ): Promise<void> {
      const { request, order, ...rest } = more
      const sealedOrder = order && sealOrder(sealer, jobId, order)
      await jobs
        .accept(jobId, attempt, { request: { ...request }, ...rest, sealedOrder })
        .catch((error: unknown) => requireAccepted(jobId, error))
      await tell(jobId)
    },
    /** A job that is accepted at once. */
    async add(attempt: Attempt, job: OrderedJob): Promise<string> {
      const jobId = await add(attempt, { ...job, state: 'queued' })
      await tell(jobId)
      return jobId
    },
    tell,
  }

  async function add(
    attempt: Attempt,
    { order, ...job }: OrderedJob & Pick<NewJob, 'state'>,
  ): Promise<string> {
    const id = newId()
    const sealedOrder = order && sealOrder(sealer, id, order)
    await jobs.add({ ...job, id, sealedOrder, attempt, workerId })
    return id
  }

  /** A commit without a response may have taken effect: finds out, or names the job. */
  async function requireAccepted(jobId: string, error: unknown): Promise<void> {
    if (!(error instanceof DependencyUnavailableError)) throw error
    let job: Job | undefined
    try {
      // Waits for the commit if it still runs, and removes what it did not accept.
      await jobs.discard(jobId)
      job = await jobs.find(jobId)
    } catch (cause) {
      throw new ApiError(
        'UNAVAILABLE',
        `it is not known whether job ${jobId} was accepted; read /admin/v1/jobs/${jobId} before you repeat the import`,
        {
          reason: 'import_outcome_unknown',
          details: [{ id: 'import_outcome_unknown', jobId }],
          headers: { 'Retry-After': '5' },
          cause,
        },
      )
    }
    if (job === undefined) throw error
  }

  /** The reconciler finds a job that could not be put into the queue. */
  async function tell(jobId: string, attempt = 1): Promise<void> {
    try {
      await dispatch(jobId, attempt)
      await dispatches.dispatched(jobId)
    } catch (error) {
      logger.warn('job_not_dispatched', { jobId, error })
    }
  }
}

export type JobCreation = ReturnType<typeof jobCreation>
