import type { Attempt } from '@signet/admin-api/audit/audit-log'
import { jsonBody } from '@signet/admin-api/json-body'
import { invalidFields } from '@signet/admin-api/json-error-handler'
import { noStore } from '@signet/http/response-headers'
import { type Request, type RequestHandler, Router } from 'express'
import { z } from 'zod'
import { requireTimeout } from '../runs/call-timeout.ts'
import type { JobCreation } from '../runs/create-job.ts'
import { OUTPUT_MEMBERS, type PlaceOf, type StorageOrder } from '../storage/storage-member.ts'
import type { RequireAdministrator } from './administrator.ts'
import { type AnswerJob, prefersAsync } from './answer-job.ts'

const ids = z.array(z.string().min(1).max(200)).max(10_000).nullish()
const flag = z.boolean().nullish()

const exportCall = z.object({
  orgIds: ids,
  excludedOrgIds: ids,
  withPasswords: flag,
  withOtp: flag,
  withSecrets: flag,
  timeout: z.string().nullish(),
  responseOutput: flag,
  storageOutput: z.unknown().optional(),
  gcsOutput: z.unknown().optional(),
  s3Output: z.unknown().optional(),
  localOutput: z.unknown().optional(),
})

interface ExportRouteOptions {
  readonly requireAdministrator: RequireAdministrator
  readonly addJob: JobCreation['add']
  readonly answer: AnswerJob
  readonly document: (jobId: string) => AsyncIterable<Buffer>
  readonly placeOf: PlaceOf
}

/** POST /admin/v1/export. */
export function exportRoute({
  requireAdministrator,
  addJob,
  answer,
  document,
  placeOf,
}: ExportRouteOptions): Router {
  const router = Router()
  const attempts = new WeakMap<Request, Attempt>()
  // Runs before the body is read, so that only administrators see its errors.
  const authenticate: RequestHandler = async (req, _res, next) => {
    attempts.set(req, await requireAdministrator(req))
    next()
  }
  router.post(
    '/admin/v1/export',
    noStore,
    authenticate,
    jsonBody({ limitBytes: 1_048_576 }),
    async (req, res) => {
      const attempt = attempts.get(req)
      if (attempt === undefined) throw new Error('the caller was not authenticated')
      const call = exportCall.parse(req.body)
      const timeoutMs = requireTimeout(call.timeout)
      const request = {
        orgIds: call.orgIds ?? [],
        excludedOrgIds: call.excludedOrgIds ?? [],
        withPasswords: call.withPasswords ?? false,
        withOtp: call.withOtp ?? false,
        withSecrets: call.withSecrets ?? false,
      }
      const order = orderOf(call)
      // Refused now, not when a worker looks.
      if (order !== undefined) placeOf(order)
      const storage = order && { storage: order.member }
      const jobId = await addJob(attempt, {
        kind: 'export',
        request: { ...request, ...storage },
        timeoutMs,
        order,
      })
      if (order !== undefined || prefersAsync(req)) return await answer.withJob(res, jobId)
      await answer.whenDone(res, jobId, document(jobId))
    },
  )
  return router
}

/** Where the document goes when it is not the answer. */
function orderOf(call: z.output<typeof exportCall>): StorageOrder | undefined {
  const [order, ...others] = OUTPUT_MEMBERS.flatMap((member) => {
    const value = call[member]
    return value === undefined || value === null ? [] : [{ member, value }]
  })
  if (order === undefined) return undefined
  if (others.length > 0 || call.responseOutput === true) {
    throw invalidFields([
      {
        field: order.member,
        rule: 'excludes response_output and every other output: a document goes to one place',
      },
    ])
  }
  return order
}
