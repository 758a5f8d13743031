import { OutboundError } from '@signet/platform/outbound-http/guarded-agents'

/** The failures of object storage, as labels for programs. */
export type StorageFailure =
  | 'access_denied'
  | 'credentials_refused'
  | 'credentials_missing'
  /** The service has forgotten the upload: it has to begin again. */
  | 'upload_lost'
  | 'bucket_missing'
  | 'object_missing'
  | 'object_exists'
  | 'object_changed'
  | 'object_too_large'
  | 'object_unreadable'
  | 'wrong_region'
  | 'address_refused'
  | 'unreachable'
  | 'timed_out'
  | 'connection_lost'
  | 'service_unavailable'
  | 'unexpected_answer'
  | 'path_invalid'

/** Object that a failure is about. `bucket` is absent for files, and for a `storage` that is not known here. */
export interface ObjectPlace {
  readonly service: 'S3' | 'Google Cloud Storage' | 'file' | 'storage'
  readonly bucket?: string
  readonly object: string
}

const TRANSIENT: ReadonlySet<StorageFailure> = new Set([
  'unreachable',
  'timed_out',
  'connection_lost',
  'service_unavailable',
  'upload_lost',
])

interface StorageErrorOptions {
  readonly reason: StorageFailure
  readonly place: ObjectPlace
  /** The rule and what to do about it, a sentence without a subject's name. */
  readonly rule: string
  /** The response of the service without any sent value: `403 AccessDenied`. */
  readonly answer?: string | undefined
}

/**
 * An object that could not be read or written. The message names bucket, object and what to do; neither it nor any
 * property holds a credential, and what the SDK threw is not kept because it may hold the request.
 */
export class ObjectStorageError extends Error {
  override readonly name = 'ObjectStorageError'
  readonly reason: StorageFailure
  readonly place: ObjectPlace
  /** Trying again later may succeed. */
  readonly isTransient: boolean

  constructor({ reason, place, rule, answer }: StorageErrorOptions) {
    const bucket = place.bucket === undefined ? '' : ` in bucket "${place.bucket}"`
    const said = answer === undefined ? '' : ` (${answer})`
    super(`${place.service} object "${place.object}"${bucket}: ${rule}${said}`)
    this.reason = reason
    this.place = place
    this.isTransient = TRANSIENT.has(reason)
  }
}

const BY_CODE: Readonly<Record<string, StorageFailure>> = {
  ENOTFOUND: 'unreachable',
  EAI_AGAIN: 'unreachable',
  ECONNREFUSED: 'unreachable',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  ETIMEDOUT: 'timed_out',
  ECONNRESET: 'connection_lost',
  EPIPE: 'connection_lost',
  ECONNABORTED: 'connection_lost',
  ERR_STREAM_PREMATURE_CLOSE: 'connection_lost',
}

const RULES = {
  address_refused:
    'the host has no address that may be called; the operator permits networks by SIGNET_OUTBOUND_ALLOW',
  unreachable: 'the host cannot be reached; check its name, its port and the network',
  timed_out: 'the service did not respond in time; try again later',
  connection_lost: 'the connection was cut; try again later',
} as const

/** Returns the error for a failure of the network, wherever an SDK has put it; undefined for any other error. */
export function connectionFailure(error: unknown, place: ObjectPlace): ObjectStorageError | undefined {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth += 1) {
    const reason = reasonOf(cause)
    if (reason !== undefined) return new ObjectStorageError({ reason, place, rule: RULES[reason] })
  }
  return undefined
}

function reasonOf(error: Error): keyof typeof RULES | undefined {
  if (error instanceof OutboundError) {
    return error.reason === 'address_refused' || error.reason === 'timed_out' ? error.reason : 'unreachable'
  }
  const reason = 'code' in error ? BY_CODE[String(error.code)] : undefined
  return reason !== undefined && reason in RULES ? (reason as keyof typeof RULES) : undefined
}
