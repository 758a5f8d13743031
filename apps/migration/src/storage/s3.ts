import { Readable } from 'node:stream'
import {
  GetObjectCommand,
  type GetObjectCommandOutput,
  HeadObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { createGuardedAgents } from '@signet/platform/outbound-http/guarded-agents'
import type { S3Location } from './object-location.ts'
import { abortable, abortUpload, createS3Object, encryptionOf } from './s3-upload.ts'
import {
  connectionFailure,
  type ObjectPlace,
  ObjectStorageError,
  type StorageFailure,
} from './storage-error.ts'
import type { ObjectProvider, ObjectStorageOptions, OpenedRange } from './stored-object.ts'

const DEFAULT_REGION = 'us-east-1'

/** Opens an object of Amazon S3 or of a server with the same protocol. */
export function openS3Object(
  location: S3Location,
  place: ObjectPlace,
  { allow, idleMs }: ObjectStorageOptions,
): ObjectProvider {
  const agents = createGuardedAgents({ allow, idleMs })
  const client = s3Client(location, agents)
  const at = { Bucket: location.bucket, Key: location.path }
  return {
    async head(signal) {
      const head = await client.send(new HeadObjectCommand(at), abortable(signal))
      return { sizeBytes: head.ContentLength ?? 0 }
    },
    async openRange({ offset, version, signal }) {
      const range = offset === 0 ? {} : { Range: `bytes=${offset}-` }
      const unchanged = version === undefined ? {} : { IfMatch: version }
      return openedRange(
        await client.send(new GetObjectCommand({ ...at, ...range, ...unchanged }), abortable(signal)),
        offset,
      )
    },
    write: (bytes, options) =>
      createS3Object(client, { at, encryption: encryptionOf(location) }, bytes, options),
    abandonWrite: (handle) => abortUpload(client, { ...at, UploadId: handle }),
    failure: (error, action) => s3Failure(error, place, action),
    close() {
      client.destroy()
      agents.close()
    },
  }
}

/**
 * The SDK would otherwise read these options from AWS_* variables or the files of a profile, which configure the role of the
 * platform. Their endpoint would receive the requests for a bucket of a caller, signed with the keys of the caller.
 */
const WITHOUT_ENVIRONMENT = {
  ignoreConfiguredEndpointUrls: true,
  useDualstackEndpoint: false,
  useFipsEndpoint: false,
  useArnRegion: false,
  disableS3ExpressSessionAuth: false,
  authSchemePreference: [],
  sigv4aSigningRegionSet: [],
  defaultsMode: 'standard',
  maxAttempts: 3,
  retryMode: 'standard',
} satisfies Partial<ConstructorParameters<typeof S3Client>[0]>

function s3Client(location: S3Location, agents: ReturnType<typeof createGuardedAgents>): S3Client {
  const { endpoint, region } = location
  return new S3Client({
    region: region ?? DEFAULT_REGION,
    // Without these members the SDK uses the credentials of the platform: only for the storage of the operator.
    ...('credentials' in location ? {} : { ...WITHOUT_ENVIRONMENT, credentials: keysOf(location) }),
    ...(endpoint !== undefined && { endpoint }),
    // Other servers than Amazon S3 rarely have a host name for each bucket.
    forcePathStyle: location.pathStyle ?? endpoint !== undefined,
    requestHandler: { httpAgent: agents.http, httpsAgent: agents.https },
    // By default the SDK sends checksums in a form that many compatible servers refuse; each part has an MD5 instead.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    followRegionRedirects: false,
  })
}

function keysOf({
  accessKeyId,
  secretAccessKey,
  sessionToken,
}: Exclude<S3Location, { credentials: string }>) {
  return {
    accessKeyId,
    secretAccessKey: secretAccessKey.reveal(),
    ...(sessionToken !== undefined && { sessionToken: sessionToken.reveal() }),
  }
}

function openedRange(got: GetObjectCommandOutput, offset: number): OpenedRange {
  const { Body, ContentLength = 0, ContentRange, ETag } = got
  if (!(Body instanceof Readable) || ETag === undefined)
    throw new Error('the response has no body or no ETag')
  if (offset === 0) return { sizeBytes: ContentLength, version: ETag, body: Body }
  const range = /^bytes (\d+)-\d+\/(\d+)$/.exec(ContentRange ?? '')
  if (Number(range?.[1]) !== offset) throw new Error('the response is not the requested range')
  return { sizeBytes: Number(range?.[2]), version: ETag, body: Body }
}

type Action = 'read' | 'create'

const BY_NAME: Readonly<Record<string, StorageFailure>> = {
  NoSuchBucket: 'bucket_missing',
  NoSuchKey: 'object_missing',
  CredentialsProviderError: 'credentials_missing',
  InvalidAccessKeyId: 'credentials_refused',
  SignatureDoesNotMatch: 'credentials_refused',
  ExpiredToken: 'credentials_refused',
  InvalidToken: 'credentials_refused',
  PermanentRedirect: 'wrong_region',
  AuthorizationHeaderMalformed: 'wrong_region',
  IllegalLocationConstraintException: 'wrong_region',
  TimeoutError: 'timed_out',
  RequestTimeout: 'timed_out',
}

const BY_STATUS: Readonly<Record<number, StorageFailure>> = {
  301: 'wrong_region',
  401: 'credentials_refused',
  403: 'access_denied',
  404: 'object_missing',
  408: 'timed_out',
  409: 'service_unavailable',
  429: 'service_unavailable',
}

const RULES: Partial<Record<StorageFailure, string | Readonly<Record<Action, string>>>> = {
  access_denied: {
    read: 'the credentials may not read it; they need s3:GetObject. Without s3:ListBucket S3 says the same of an object that does not exist, so check the path too',
    create: 'the credentials may not create it; they need s3:PutObject and s3:AbortMultipartUpload',
  },
  credentials_missing:
    'the platform gives this process no credentials; check its role, or set the keys of SIGNET_STORAGE_URL',
  credentials_refused:
    'the service does not accept the credentials; check access_key_id, secret_access_key and session_token',
  bucket_missing: 'the bucket does not exist; check bucket, region and endpoint',
  object_missing: 'does not exist; check bucket and path',
  object_exists: 'exists already and is not replaced; choose another path',
  object_changed: 'changed while it was read; start again when no other program writes it',
  connection_lost:
    'a response was lost, and now the object exists: this write or another one created it; check the object, or try again',
  wrong_region: 'the bucket is in another region; give its region',
  timed_out: 'the service did not respond in time; try again later',
  service_unavailable: 'the service is overloaded or out of order; try again later',
}

/** Converts an error of the SDK. Does not keep that error as cause, since it may contain the request. */
function s3Failure(error: unknown, place: ObjectPlace, action: Action): ObjectStorageError {
  if (error instanceof ObjectStorageError) return error
  const network = connectionFailure(error, place)
  if (network) return network
  const status = statusOf(error)
  const name = error instanceof Error ? error.name : 'Error'
  const reason = mayHaveCreatedIt(error, status, action) ? 'connection_lost' : reasonOf(name, status, action)
  const rule = RULES[reason] ?? 'the response is not one of S3; check endpoint, ssl and path_style'
  return new ObjectStorageError({
    reason,
    place,
    rule: typeof rule === 'string' ? rule : rule[action],
    answer: status === undefined ? name : `${status} ${name}`,
  })
}

function reasonOf(name: string, status: number | undefined, action: Action): StorageFailure {
  if (status === 412) return action === 'create' ? 'object_exists' : 'object_changed'
  const known = BY_NAME[name] ?? (status === undefined ? undefined : BY_STATUS[status])
  if (known !== undefined) return known
  return status !== undefined && status >= 500 ? 'service_unavailable' : 'unexpected_answer'
}

/** A repeated creation finds the object that the first try, whose response was lost, may have created. */
function mayHaveCreatedIt(error: unknown, status: number | undefined, action: Action): boolean {
  const { $metadata } = error as { readonly $metadata?: { readonly attempts?: number } }
  return status === 412 && action === 'create' && ($metadata?.attempts ?? 1) > 1
}

function statusOf(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('$metadata' in error)) return undefined
  const { $metadata } = error as { $metadata?: { httpStatusCode?: number } }
  return $metadata?.httpStatusCode
}
