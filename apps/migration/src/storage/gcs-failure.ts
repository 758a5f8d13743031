import {
  connectionFailure,
  type ObjectPlace,
  ObjectStorageError,
  type StorageFailure,
} from './storage-error.ts'

type Action = 'read' | 'create'

const BY_STATUS: Readonly<Record<number, StorageFailure>> = {
  400: 'unexpected_answer',
  401: 'credentials_refused',
  403: 'access_denied',
  404: 'object_missing',
  408: 'timed_out',
  // An upload that the service has lost.
  410: 'service_unavailable',
  429: 'service_unavailable',
}

const RULES: Partial<Record<StorageFailure, string | Readonly<Record<Action, string>>>> = {
  access_denied: {
    read: 'the service account may not read it; it needs storage.objects.get (role Storage Object Viewer)',
    create:
      'the service account may not create it; it needs storage.objects.create (role Storage Object Creator)',
  },
  credentials_refused:
    'Google does not accept the service account; check that its key was not deleted or disabled',
  credentials_missing:
    'the platform gives this process no credentials; check its service account, or set SIGNET_STORAGE_GCS_SERVICE_ACCOUNT',
  bucket_missing: 'the bucket does not exist; check its name',
  object_missing: 'does not exist; check bucket and path',
  object_exists: 'exists already and is not replaced; choose another path',
  object_changed: 'changed while it was read; start again when no other program writes it',
  timed_out: 'the service did not respond in time; try again later',
  service_unavailable: 'the service is overloaded or out of order; try again later',
}

/** The service has no upload under the address of one that it began; its bytes have to be sent from the first on. */
export class LostUpload extends Error {
  override readonly name = 'LostUpload'
}

/** The statuses of an upload that the service has lost or let expire. */
const LOST: ReadonlySet<unknown> = new Set([404, 410])

/** Whether a request to an upload that had begun failed because it is lost. */
export function isLostUpload(error: unknown): boolean {
  return LOST.has(statusOf(error))
}

/** Explains what the SDKs threw. Their errors are not kept: they hold the request with its token. */
export function gcsFailure(error: unknown, place: ObjectPlace, action: Action): ObjectStorageError {
  if (error instanceof ObjectStorageError) return error
  if (error instanceof LostUpload) {
    return new ObjectStorageError({
      reason: 'upload_lost',
      place,
      rule: 'the service lost the upload; it has to begin again',
    })
  }
  const status = statusOf(error)
  const network = status === undefined ? connectionFailure(error, place) : undefined
  if (network) return network
  const reason = reasonOf(error, status, action)
  const rule = RULES[reason] ?? 'the service gave an answer that Google Cloud Storage does not give'
  return new ObjectStorageError({
    reason,
    place,
    rule: typeof rule === 'string' ? rule : rule[action],
    answer: status === undefined ? undefined : String(status),
  })
}

function reasonOf(error: unknown, status: number | undefined, action: Action): StorageFailure {
  // The token endpoint says so to an account or a key that it does not know (RFC 6749 section 5.2).
  if (error instanceof Error && /\binvalid_grant\b|\binvalid_client\b/.test(error.message))
    return 'credentials_refused'
  // The SDK could not find any of the Application Default Credentials.
  if (error instanceof Error && /^Could not load the default credentials/.test(error.message))
    return 'credentials_missing'
  // The SDK has retried several times; its error does not contain the cause.
  if (error instanceof Error && /^Retry (total time )?limit exceeded/.test(error.message))
    return 'service_unavailable'
  // Creating in a place where nothing can be missing but the bucket.
  if (status === 404 && action === 'create') return 'bucket_missing'
  if (status === 412) return action === 'create' ? 'object_exists' : 'object_changed'
  const known = status === undefined ? undefined : BY_STATUS[status]
  if (known !== undefined) return known
  return status !== undefined && status >= 500 ? 'service_unavailable' : 'unexpected_answer'
}

/** The SDKs put it in one of two places. */
function statusOf(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const { status, code } = error as { status?: unknown; code?: unknown }
  if (typeof status === 'number') return status
  return typeof code === 'number' ? code : undefined
}
