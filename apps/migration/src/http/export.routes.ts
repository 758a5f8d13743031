import type { Attempt } from '@signet/admin-api/audit/audit-recorder'
import { createJsonBodyParser } from '@signet/admin-api/json-body'
import { invalidFields } from '@signet/admin-api/json-error-handler'
import { exportCall } from '@signet/admin-api/migration-schemas'
import { recipientsProblem } from '@signet/file-formats/archive/sealing'
import { noStore } from '@signet/http/response-headers'
import { type Request, type RequestHandler, Router } from 'express'
import type { z } from 'zod'
import type { JobService } from '../jobs/job.service.ts'
import { OUTPUT_MEMBERS, type RequestedLocation, type ResolveLocation } from '../jobs/requested-location.ts'
import { type Packing, packedBody } from '../storage/packed-document.ts'
import type { RequireAdministrator } from './administrator.ts'
import { prefersAsync, type RespondWithJob, requireTimeout } from './job-response.ts'

interface ExportRouteOptions {
  readonly requireAdministrator: RequireAdministrator
  readonly service: Pick<JobService, 'add' | 'document'>
  readonly respond: RespondWithJob
  readonly resolveLocation: ResolveLocation
  /** An export without recipients is refused. */
  readonly sealedExports: boolean
}

/** POST /admin/v1/export. */
export function createExportRoutes({
  requireAdministrator,
  service,
  respond,
  resolveLocation,
  sealedExports,
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
    // Ten thousand organizations, and as many that are left out.
    createJsonBodyParser({ limitBytes: 1_048_576, mostValues: 20_100 }),
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
        withPasskeys: call.withPasskeys ?? false,
        withSecrets: call.withSecrets ?? false,
        ...(await packingOf(call, sealedExports)),
      }
      const location = locationOf(call)
      // Checked now, so that the caller and not the worker gets the error.
      if (location !== undefined) resolveLocation(location)
      const storage = location && { storage: location.member }
      const jobId = await service.add(attempt, {
        kind: 'export',
        request: { ...request, ...storage },
        timeoutMs,
        location,
      })
      if (location !== undefined || prefersAsync(req)) return await respond.withJob(res, jobId)
      await respond.whenDone(res, jobId, packedBody(request, service.document(jobId)))
    },
  )
  return router
}

/** How the document is compressed and sealed. Throws ApiError for invalid recipients, or if required ones are missing. */
async function packingOf(
  { recipients, compression }: z.output<typeof exportCall>,
  sealedExports: boolean,
): Promise<Packing> {
  const given = recipients ?? undefined
  const missing = sealedExports ? MUST_BE_SEALED : undefined
  const problem = given === undefined ? missing : await recipientsProblem(given)
  if (problem !== undefined) throw invalidFields([{ field: 'recipients', rule: problem }])
  return {
    ...(given !== undefined && { recipients: given }),
    ...(compression != null && { compression }),
  }
}

const MUST_BE_SEALED =
  'is required: this server exports sealed archives only; name public keys of age, which begin with age1'

/** The storage location of the document; undefined when the document is the response. */
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
