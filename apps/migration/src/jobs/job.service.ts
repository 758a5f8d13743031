import { ApiError } from '@signet/admin-api/api-error'
import type { Attempt } from '@signet/admin-api/audit/audit-recorder'
import type { Logger } from '@signet/platform/logger/logger'
import { DependencyUnavailableError } from '@signet/platform/runtime/dependency-unavailable'
import type { StagedSealer } from '../sealing.ts'
import type { DispatchRepository } from './dispatch.repository.ts'
import type { DocumentRepository } from './document.repository.ts'
import type { ImportRequest, Job, JobRepository, KnownJob, NewJob, Refusal } from './job.ts'
import { type RequestedLocation, sealLocation } from './requested-location.ts'

interface Dependencies {
  readonly jobs: JobRepository
  readonly dispatches: Pick<DispatchRepository, 'dispatched'>
  readonly documents: DocumentRepository
  readonly sealer: StagedSealer
  readonly dispatch: (jobId: string, attempt: number) => Promise<void>
  readonly workerId: string
  readonly newId: () => string
  readonly pause: (milliseconds: number) => Promise<void>
  readonly now: () => Date
  readonly logger: Logger
}

type RequestedJob = Pick<NewJob, 'kind' | 'request' | 'timeoutMs'> & {
  readonly location?: RequestedLocation | undefined
}

const FIRST_PAUSE_MS = 20
const LONGEST_PAUSE_MS = 250

/** Creates jobs and dispatches them to workers; the operations of administrators on jobs. */
export function createJobService(dependencies: Dependencies) {
  const { jobs, documents, sealer, newId, logger } = dependencies
  return {
    /** Adds a job that can run only after `acceptImport`. It is lost when this process ends or calls `discardImport`. */
    async beginImport(attempt: Attempt): Promise<string> {
      return await add(dependencies, attempt, { kind: 'import', state: 'staging', request: {}, timeoutMs: 0 })
    },
    /** Batches that cannot be deleted now never run; they are deleted after the end of this process. */
    async discardImport(jobId: string): Promise<void> {
      await jobs
        .discard(jobId)
        .catch((error: unknown) => logger.warn('import_not_discarded', { jobId, error }))
    },
    /** Ends a refused import; the job has the reason. */
    async refuseImport(
      jobId: string,
      attempt: Attempt,
      { refusal, request }: { readonly refusal: Refusal; readonly request: Partial<ImportRequest> },
    ): Promise<void> {
      await jobs.refuse(jobId, refusal, { attempt, request: { ...request } })
    },
    /** Rejects when nothing is imported, or with an error that names the job whose outcome is unknown. */
    async acceptImport(
      jobId: string,
      attempt: Attempt,
      more: {
        readonly request: ImportRequest
        readonly timeoutMs: number
        readonly notes: readonly string[]
        readonly location?: RequestedLocation | undefined
      },
    ): Promise<void> {
      const { request, location, ...rest } = more
      const sealedLocation =
        location && sealLocation(sealer, { id: jobId, request: { ...request } }, location)
      await jobs
        .accept(jobId, attempt, { request: { ...request }, ...rest, sealedLocation })
        .catch((error: unknown) => requireAccepted(dependencies, jobId, error))
      await dispatchJob(dependencies, jobId)
    },
    /** Adds a job that is accepted at once. */
    async add(attempt: Attempt, job: RequestedJob): Promise<string> {
      const jobId = await add(dependencies, attempt, { ...job, state: 'queued' })
      await dispatchJob(dependencies, jobId)
      return jobId
    },
    find: (jobId: string) => jobs.find(jobId),
    list: (after: string | undefined, most: number) => jobs.list(after, most),
    /** Stops the job at the next batch. Returns false when it has ended already. */
    cancel: (job: KnownJob, attempt: Attempt) => jobs.requestStop(job, attempt),
    /** Continues a stopped job with its whole timeout or another one. Returns false when it cannot be resumed. */
    resume: async (job: KnownJob, attempt: Attempt, timeoutMs: number | undefined): Promise<boolean> =>
      dispatchAttempt(dependencies, job, await jobs.resume(job, attempt, timeoutMs)),
    /** Applies a plan with its whole timeout or another one. Returns false when it cannot be applied. */
    applyPlan: async (job: KnownJob, attempt: Attempt, timeoutMs: number | undefined): Promise<boolean> =>
      dispatchAttempt(dependencies, job, await jobs.applyPlan(job, attempt, timeoutMs)),
    /** Starts a job that undoes an ended import, and returns its id. Returns undefined while another undo of it runs. */
    async undo(
      importId: string,
      attempt: Attempt,
      more: { readonly force: boolean; readonly timeoutMs: number },
    ): Promise<string | undefined> {
      const id = newId()
      if (!(await jobs.addUndo({ id, importId, ...more }, attempt))) return undefined
      await dispatchJob(dependencies, id)
      return id
    },
    hasDocument: (jobId: string) => documents.has(jobId),
    document: (jobId: string) => documents.read(jobId),
    wait: (jobId: string, givenUp: () => boolean) => waitForEnd(dependencies, jobId, givenUp),
  }
}

/** Waits for the end of a job and returns it, or undefined when the caller gives up before. Ends the job at its deadline. */
async function waitForEnd(
  { jobs, pause, now }: Dependencies,
  jobId: string,
  givenUp: () => boolean,
): Promise<Job | undefined> {
  for (let pauseMs = FIRST_PAUSE_MS; !givenUp(); pauseMs = Math.min(pauseMs * 1.5, LONGEST_PAUSE_MS)) {
    const times = await jobs.findTimes(jobId)
    if (times === undefined || times.endedAt !== null) return await jobs.find(jobId)
    // Works also without a live worker.
    if (times.deadlineAt !== null && times.deadlineAt < now()) await jobs.checkDeadline(jobId)
    await pause(pauseMs)
  }
  return undefined
}

async function add(
  { newId, sealer, jobs, workerId }: Dependencies,
  attempt: Attempt,
  { location, ...job }: RequestedJob & Pick<NewJob, 'state'>,
): Promise<string> {
  const id = newId()
  const sealedLocation = location && sealLocation(sealer, { ...job, id }, location)
  await jobs.add({ ...job, id, sealedLocation, attempt, workerId })
  return id
}

/** A commit without a response may have taken effect. Rejects unless the job is accepted; names the job if that is unknown. */
async function requireAccepted({ jobs }: Dependencies, jobId: string, error: unknown): Promise<void> {
  if (!(error instanceof DependencyUnavailableError)) throw error
  let job: Job | undefined
  try {
    // Waits for a commit that still runs. Deletes the job if it was not accepted.
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

/** Dispatches the attempt with which a job goes on; returns false when there is none. */
async function dispatchAttempt(
  dependencies: Dependencies,
  job: KnownJob,
  attempt: number | undefined,
): Promise<boolean> {
  if (attempt === undefined) return false
  await dispatchJob(dependencies, job.id, attempt)
  return true
}

/** Does not reject: the reconciler finds a job that could not be put into the queue. */
async function dispatchJob(
  { dispatch, dispatches, logger }: Dependencies,
  jobId: string,
  attempt = 1,
): Promise<void> {
  try {
    await dispatch(jobId, attempt)
    await dispatches.dispatched(jobId)
  } catch (error) {
    logger.warn('job_not_dispatched', { jobId, error })
  }
}

export type JobService = ReturnType<typeof createJobService>
