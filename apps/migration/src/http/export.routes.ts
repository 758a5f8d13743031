import type { Attempt } from '@signet/admin-api/audit/audit-log'
import { jsonBody } from '@signet/admin-api/json-body'
import { invalidFields } from '@signet/admin-api/json-error-handler'
import { exportCall } from '@signet/admin-api/migration-api'
import { noStore } from '@signet/http/response-headers'
import { type Request, type RequestHandler, Router } from 'express'
import type { z } from 'zod'
import type { JobService } from '../jobs/job.service.ts'
import {
  OUTPUT_MEMBERS,
  type RequestedLocation,
  type ResolveLocation,
} from '../storage/requested-location.ts'
import type { RequireAdministrator } from './administrator.ts'
import { prefersAsync, type RespondWithJob, requireTimeout } from './job-response.ts'

interface ExportRouteOptions {
  readonly requireAdministrator: RequireAdministrator
  readonly service: Pick<JobService, 'add' | 'document'>
  readonly respond: RespondWithJob
  readonly resolveLocation: ResolveLocation
}

/** POST /admin/v1/export. */
export function createExportRoutes({
  requireAdministrator,
  service,
  respond,
  resolveLocation,
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
      const location = locationOf(call)
      // Refused now, and not when a worker opens it.
      if (location !== undefined) resolveLocation(location)
      const storage = location && { storage: location.member }
      const jobId = await service.add(attempt, {
        kind: 'export',
        request: { ...request, ...storage },
        timeoutMs,
        location,
      })
      if (location !== undefined || prefersAsync(req)) return await respond.withJob(res, jobId)
      await respond.whenDone(res, jobId, service.document(jobId))
    },
  )
  return router
}

/** Where the document goes when it is not the answer. */
function locationOf(call: z.output<typeof exportCall>): RequestedLocation | undefined {
  const [location, ...others] = OUTPUT_MEMBERS.flatMap((member) => {
    const value = call[member]
    return value === undefined || value === null ? [] : [{ member, value }]
  })
  if (location === undefined) return undefined
  if (others.length > 0 || call.responseOutput === true) {
    throw invalidFields([
      {
        field: location.member,
        rule: 'excludes response_output and every other output: a document goes to one place',
      },
    ])
  }
  return location
}
