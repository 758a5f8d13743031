import { ApiError } from '@signet/admin-api/api-error'
import type { Attempt } from '@signet/admin-api/audit/audit-recorder'
import { decodeCursor, encodeCursor } from '@signet/admin-api/cursor'
import { createJsonBodyParser } from '@signet/admin-api/json-body'
import { invalidFields } from '@signet/admin-api/json-error-handler'
import { leftOutCall, rehearseCall, resumeCall, undoCall } from '@signet/admin-api/migration-schemas'
import { queryParameters } from '@signet/http/forms'
import { noStore } from '@signet/http/response-headers'
import type { Clock } from '@signet/platform/runtime/clock'
import { isIdentifier } from '@signet/tokens/identifiers'
import { type Request, type RequestHandler, type Response, Router } from 'express'
import type { ConversionList } from '../jobs/conversion-list.ts'
import type { JobService } from '../jobs/job.service.ts'
import { hasEnded, type Job } from '../jobs/job.ts'
import type { createRehearse } from '../rehearsal/rehearse.ts'
import { packedBody } from '../storage/packed-document.ts'
import type { RequireAdministrator } from './administrator.ts'
import { jobBody, prefersAsync, type RespondWithJob, requireTimeout, writeAll } from './job-response.ts'

const PAGE = 50
const EVENT_MS = 500

const readJson = createJsonBodyParser({ limitBytes: 4_096 })
/** 100 sign-ins with passwords of 1,000 characters. */
const readSignIns = createJsonBodyParser({ limitBytes: 524_288 })
/** 10,000 entries of the list of a conversion. */
const readLeftOut = createJsonBodyParser({
  limitBytes: 4_194_304,
  mostValues: 1_000_000,
  opaque: ['value'],
})
/** The list follows the document; after this time no one sends it any more. */
const LEFT_OUT_MS = 900_000

interface JobRouteOptions {
  readonly requireAdministrator: RequireAdministrator
  readonly service: JobService
  readonly rehearse: ReturnType<typeof createRehearse>
  /** NDJSON, a line for each object. */
  readonly report: (job: Job) => AsyncIterable<string>
  /** An export document. */
  readonly rejects: (job: Job) => AsyncIterable<string>
  /** NDJSON, a line for each value that was left out or changed. */
  readonly leftOut: (job: Job) => AsyncIterable<string>
  /** Keeps the list of a conversion with the job. */
  readonly keepLeftOut: (job: Job, list: ConversionList) => Promise<void>
  readonly now: Clock
  readonly respond: RespondWithJob
  /** The result of a job that has ended, as JSON. */
  readonly result: (jobId: string) => AsyncIterable<string>
  readonly pause: (milliseconds: number) => Promise<void>
}

/** /admin/v1/jobs and what lies below it. */
export function createJobRoutes(options: JobRouteOptions): Router {
  const router = Router()
  addProgress(router, options)
  addOutputs(router, options)
  addLeftOut(router, options)
  addStops(router, options)
  addPlans(router, options)
  return router
}

async function requireJob(options: JobRouteOptions, req: Request): Promise<Job> {
  return (await requireChange(options, req)).job
}

async function requireChange(
  { requireAdministrator, service }: JobRouteOptions,
  req: Request,
): Promise<{ readonly job: Job; readonly attempt: Attempt }> {
  const attempt = await requireAdministrator(req)
  const { jobId } = req.params
  const job = isIdentifier(jobId) ? await service.find(jobId) : undefined
  if (job === undefined || job.state === 'staging') {
    throw new ApiError('NOT_FOUND', 'there is no such job', { reason: 'job_unknown' })
  }
  return { job, attempt }
}

/** The list of jobs, and the state of one. */
function addProgress(router: Router, options: JobRouteOptions): void {
  const { requireAdministrator, service, pause } = options
  router.get('/admin/v1/jobs', noStore, async (req, res) => {
    await requireAdministrator(req)
    const { pageToken } = queryParameters(req)
    const after = pageToken === undefined ? undefined : decodeCursor(pageToken)
    if (pageToken !== undefined && !isIdentifier(after)) {
      throw invalidFields([
        { field: 'pageToken', rule: 'must be the nextPageToken of the response before, whole and unchanged' },
      ])
    }
    const page = await service.list(after, PAGE + 1)
    const more = page.length > PAGE
    const shown = page.slice(0, PAGE).filter(({ state }) => state !== 'staging')
    res.json({
      jobs: shown.map(jobBody),
      ...(more && { nextPageToken: encodeCursor(page[PAGE - 1]?.id ?? '') }),
    })
  })

  router.get('/admin/v1/jobs/:jobId', noStore, async (req, res) => {
    res.json(jobBody(await requireJob(options, req)))
  })

  router.get('/admin/v1/jobs/:jobId/events', noStore, async (req, res) => {
    let job: Job | undefined = await requireJob(options, req)
    res.status(200).type('text/event-stream')
    while (job !== undefined && !res.closed) {
      res.write(`event: progress\ndata: ${JSON.stringify(jobBody(job))}\n\n`)
      if (hasEnded(job)) break
      await pause(EVENT_MS)
      job = await service.find(job.id)
    }
    res.end('event: done\ndata: {}\n\n')
  })
}

/** The documents that a job has made. */
function addOutputs(router: Router, options: JobRouteOptions): void {
  const { service, report, rejects } = options
  router.get('/admin/v1/jobs/:jobId/report', noStore, async (req, res) => {
    const job = await requireJob(options, req)
    res.status(200).type('application/x-ndjson')
    await writeAll(res, report(job))
  })

  router.get('/admin/v1/jobs/:jobId/rejects', noStore, async (req, res) => {
    const job = await requireJob(options, req)
    // While it runs, it may still find more.
    if (!hasEnded(job) || !job.hasRejects) {
      throw new ApiError('NOT_FOUND', 'the job has no rejects document, or it ended more than a day ago', {
        reason: 'rejects_unknown',
      })
    }
    res.status(200).type('application/json')
    await writeAll(res, rejects(job))
  })

  router.get('/admin/v1/jobs/:jobId/document', noStore, async (req, res) => {
    const job = await requireJob(options, req)
    if (job.kind !== 'export' || job.state !== 'succeeded' || !(await service.hasDocument(job.id))) {
      throw new ApiError('NOT_FOUND', 'the job has no document, or it ended more than 15 minutes ago', {
        reason: 'document_unknown',
      })
    }
    const { type, pieces } = packedBody(job.request, service.document(job.id))
    res.status(200).type(type)
    await writeAll(res, pieces)
  })
}

/** The list of the values that an import, and the conversion before it, left out or changed. */
function addLeftOut(router: Router, options: JobRouteOptions): void {
  const { leftOut, keepLeftOut, now } = options
  router.get('/admin/v1/jobs/:jobId/left-out', noStore, async (req, res) => {
    const job = await requireJob(options, req)
    res.status(200).type('application/x-ndjson')
    await writeAll(res, leftOut(job))
  })

  router.put('/admin/v1/jobs/:jobId/left-out', noStore, async (req, res) => {
    const job = await requireJob(options, req)
    const list = leftOutCall.parse(await bodyOf(readLeftOut, req, res))
    if (job.kind !== 'import') {
      throw new ApiError('FAILED_PRECONDITION', 'only an import has a list of a conversion', {
        reason: 'job_not_import',
      })
    }
    if (job.endedAt !== null && now().getTime() - job.endedAt.getTime() > LEFT_OUT_MS) {
      throw new ApiError('FAILED_PRECONDITION', 'the import ended more than 15 minutes ago', {
        reason: 'job_ended',
      })
    }
    await keepLeftOut(job, list)
    res.status(204).end()
  })
}

/** Ends a job that runs, and continues one that was ended. */
function addStops(router: Router, options: JobRouteOptions): void {
  const { service } = options
  router.post('/admin/v1/jobs/:jobId/cancel', noStore, async (req, res) => {
    const { job, attempt } = await requireChange(options, req)
    if (!(await service.cancel(job, attempt))) {
      throw new ApiError('FAILED_PRECONDITION', 'the job has ended already', { reason: 'job_ended' })
    }
    res.status(202).json(jobBody(await requireJob(options, req)))
  })

  router.post('/admin/v1/jobs/:jobId/resume', noStore, async (req, res) => {
    const { job, attempt } = await requireChange(options, req)
    const { timeout } = resumeCall.parse(await optionalBody(req, res))
    const timeoutMs = timeout === undefined ? undefined : requireTimeout(timeout)
    if (!(await service.resume(job, attempt, timeoutMs))) {
      throw new ApiError(
        'FAILED_PRECONDITION',
        'only a job that was cancelled, timed out, failed on the way or set records aside can be resumed, within a day',
        { reason: 'job_not_resumable' },
      )
    }
    res.status(202).json(jobBody(await requireJob(options, req)))
  })
}

/** Applies the plan of a dry run, tries sign-ins with its people, and undoes an import. */
function addPlans(router: Router, options: JobRouteOptions): void {
  const { service, rehearse } = options
  router.post('/admin/v1/jobs/:jobId/apply', noStore, async (req, res) => {
    const { job, attempt } = await requireChange(options, req)
    const { timeout } = resumeCall.parse(await optionalBody(req, res))
    const timeoutMs = timeout === undefined ? undefined : requireTimeout(timeout)
    if (!(await service.applyPlan(job, attempt, timeoutMs))) throw planRefusal(await requireJob(options, req))
    await respondWith(options, res, job.id)
  })

  router.post('/admin/v1/jobs/:jobId/rehearse', noStore, async (req, res) => {
    const { job, attempt } = await requireChange(options, req)
    const { signIns } = rehearseCall.parse(await bodyOf(readSignIns, req, res))
    res.json(await rehearse(job, attempt, signIns))
  })

  router.post('/admin/v1/jobs/:jobId/undo', noStore, async (req, res) => {
    const { job, attempt } = await requireChange(options, req)
    const { timeout, force } = undoCall.parse(await optionalBody(req, res))
    const timeoutMs = requireTimeout(timeout)
    requireImport(job)
    const undoId = await service.undo(job.id, attempt, { force, timeoutMs })
    if (undoId === undefined) {
      throw new ApiError('ABORTED', 'another undo of this import has not ended; see GET /admin/v1/jobs', {
        reason: 'undo_running',
      })
    }
    await respondWith(options, res, undoId)
  })
}

async function respondWith(
  { respond, result }: JobRouteOptions,
  res: Response,
  jobId: string,
): Promise<void> {
  if (prefersAsync(res.req)) return await respond.withJob(res, jobId)
  await respond.whenDone(res, jobId, { pieces: result(jobId) })
}

/** Returns the reason why a job is no plan that can be applied. */
function planRefusal({ kind, request }: Job): ApiError {
  if (request.appliesPlan === true) {
    return new ApiError('ABORTED', 'the plan is applied already; the job shows its outcome', {
      reason: 'plan_applied',
    })
  }
  return kind === 'import' && request.dryRun === true
    ? new ApiError(
        'FAILED_PRECONDITION',
        'the dry run did not succeed, ended more than a day ago, or ran in an earlier version',
        { reason: 'plan_expired' },
      )
    : new ApiError('FAILED_PRECONDITION', 'only an import with dry_run is a plan that can be applied', {
        reason: 'job_not_plan',
      })
}

/** Throws ApiError unless the job is an import that has ended and wrote something. */
function requireImport(job: Job): void {
  if (job.kind !== 'import' || job.request.dryRun === true) {
    throw new ApiError('FAILED_PRECONDITION', 'only an import that is no dry run can be taken back', {
      reason: 'job_not_import',
    })
  }
  if (!hasEnded(job)) {
    throw new ApiError('FAILED_PRECONDITION', 'the import has not ended; cancel it first', {
      reason: 'job_running',
    })
  }
}

/** The JSON object of a call that may have none. */
async function optionalBody(req: Request, res: Response): Promise<unknown> {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = req.headers
  if (length === '0' && coding === undefined) return {}
  return bodyOf(readJson, req, res)
}

async function bodyOf(read: RequestHandler, req: Request, res: Response): Promise<unknown> {
  await new Promise<void>((resolve, reject) => {
    read(req, res, (error?: unknown) => (error === undefined ? resolve() : reject(error)))
  })
  return req.body
}
