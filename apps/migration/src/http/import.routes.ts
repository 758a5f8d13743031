import { ApiError } from '@signet/admin-api/api-error'
import { invalidFields } from '@signet/admin-api/json-error-handler'
import { noStore } from '@signet/http/response-headers'
import { isIdentifier } from '@signet/tokens/identifiers'
import { type Request, Router } from 'express'
import {
  type createReceiveImport,
  type ImportCall,
  ImportRefused,
  type ReceivedImport,
} from '../import/receive-import.ts'
import type { ImportRequest, JobError } from '../jobs/job.ts'
import { isStorageMember, type ResolveLocation } from '../jobs/requested-location.ts'
import type { RequireAdministrator } from './administrator.ts'
import { callTimeoutMs, jobPath, prefersAsync, type RespondWithJob, TIMEOUT_PROBLEM } from './job-response.ts'

const MOST_BODY_BYTES = 268_435_456

interface ImportRouteOptions {
  readonly requireAdministrator: RequireAdministrator
  readonly receive: ReturnType<typeof createReceiveImport>
  readonly respond: RespondWithJob
  readonly result: (jobId: string) => AsyncIterable<string>
  readonly resolveLocation: ResolveLocation
}

/** POST /admin/v1/import. */
export function createImportRoutes({
  requireAdministrator,
  receive,
  respond,
  result,
  resolveLocation,
}: ImportRouteOptions): Router {
  const router = Router()
  router.post('/admin/v1/import', noStore, async (req, res) => {
    const attempt = await requireAdministrator(req)
    requireJson(req)
    const received = await receive(attempt)
    let jobId: string
    let isStored: boolean
    let request: Partial<ImportRequest> = {}
    try {
      await readBody(req, received)
      const { timeoutMs, location, ...call } = requestOf(await received.end())
      request = call.request
      // Refused now, and not when a worker opens it.
      if (location !== undefined) resolveLocation(location)
      jobId = await received.accept(call.request, timeoutMs, location)
      isStored = location !== undefined
    } catch (error) {
      // Drain the unread body so that the error response can be sent.
      if (!req.complete) res.set('Connection', 'close')
      req.resume()
      if (error instanceof ImportRefused) {
        throw refusalResponse(await received.refuse(error.refusal, request), error.refusal.error)
      }
      await received.discard()
      throw error
    }
    if (isStored || prefersAsync(req)) return await respond.withJob(res, jobId)
    await respond.whenDone(res, jobId, { pieces: result(jobId) })
  })
  return router
}

async function readBody(req: Request, received: ReceivedImport): Promise<void> {
  let bytes = 0
  for await (const chunk of chunksOf(req)) {
    bytes += chunk.length
    if (bytes > MOST_BODY_BYTES) throw tooLarge()
    await received.write(chunk)
  }
}

async function* chunksOf(req: Request): AsyncIterable<Buffer> {
  try {
    // Not destroyed when reading ends early: the connection still has to carry the answer that says why.
    yield* req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>
  } catch (cause) {
    throw new ApiError('INVALID_ARGUMENT', 'the body ended early; nothing was imported', {
      reason: 'body_aborted',
      cause,
    })
  }
}

const SOURCE_RULE = 'must be signet; the command signet import --from converts exports of other products'

const MOST_ORGANIZATIONS = 1_000

const ON_CONFLICT: readonly unknown[] = ['skip', 'update', 'fail']
const ON_INVALID: readonly unknown[] = ['fail', 'skip', 'without_password']

function requestOf({ members, sources, document }: ImportCall) {
  const [source] = sources
  if (sources.length !== 1 || source === undefined) {
    throw new ApiError(
      'INVALID_ARGUMENT',
      'exactly one of data_orgsv1, data_orgs and their storage, gcs, s3 and local members must be given',
      { reason: 'source_invalid' },
    )
  }
  const location = isStorageMember(source) ? { member: source, value: members.get(source) } : undefined
  if (location === undefined && document === undefined) {
    throw invalidFields([{ field: source, rule: 'must be an object, or a string that holds one' }])
  }
  const orgIds = members.get('orgIds') ?? []
  const onConflict = members.get('onConflict') ?? 'skip'
  const onInvalid = members.get('onInvalid') ?? 'fail'
  const dryRun = members.get('dryRun') ?? false
  const ignoreChecksum = members.get('ignoreChecksum') === true
  const timeoutMs = callTimeoutMs(members.get('timeout'))
  const problems = [
    ...(isListOfIds(orgIds)
      ? []
      : [{ field: 'org_ids', rule: `must be a list of at most ${MOST_ORGANIZATIONS} ids of organizations` }]),
    ...(ON_CONFLICT.includes(onConflict)
      ? []
      : [{ field: 'on_conflict', rule: 'must be skip, update or fail' }]),
    ...(ON_INVALID.includes(onInvalid)
      ? []
      : [{ field: 'on_invalid', rule: 'must be fail, skip or without_password' }]),
    ...(typeof dryRun === 'boolean' ? [] : [{ field: 'dry_run', rule: 'must be true or false' }]),
    // Without this rule the export of another product would be a document without organizations, and so a success.
    ...((members.get('source') ?? 'signet') === 'signet' ? [] : [{ field: 'source', rule: SOURCE_RULE }]),
  ]
  if (timeoutMs === undefined) {
    throw invalidFields([...problems, TIMEOUT_PROBLEM])
  }
  if (problems.length > 0) throw invalidFields(problems)
  const storage = location && { storage: location.member }
  const request = { orgIds, onConflict, onInvalid, dryRun, ignoreChecksum, ...storage } as ImportRequest
  return { request, timeoutMs, location }
}

function isListOfIds(value: unknown): boolean {
  return Array.isArray(value) && value.length <= MOST_ORGANIZATIONS && value.every(isIdentifier)
}

function requireJson(req: Request): void {
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = req.headers
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw new ApiError('INVALID_ARGUMENT', 'the body must be application/json in UTF-8', {
      reason: 'content_type',
    })
  }
  if (encoding !== 'identity') {
    throw new ApiError('INVALID_ARGUMENT', 'the body must not be compressed', { reason: 'content_encoding' })
  }
  if (Number(req.headers['content-length'] ?? 0) > MOST_BODY_BYTES) throw tooLarge()
}

function tooLarge(): ApiError {
  return new ApiError(
    'INVALID_ARGUMENT',
    `the body is larger than ${MOST_BODY_BYTES / 1_048_576} MiB; import it from storage with data_orgsv1_storage`,
    { reason: 'body_too_large', status: 413, headers: { Connection: 'close' } },
  )
}

function refusalResponse(jobId: string, { code, message, details }: JobError): ApiError {
  return new ApiError(code, message, {
    reason: details[0]?.id ?? 'document_invalid',
    headers: { Location: jobPath(jobId) },
    details: details.map((detail) => ({ ...detail, jobId })),
  })
}
