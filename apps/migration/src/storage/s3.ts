import { Readable } from 'node:stream'
import {
  GetObjectCommand,
  type GetObjectCommandOutput,
  HeadObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { createGuardedAgents } from '@signet/platform/outbound-http/guarded-agents'
import type { S3Location } from './object-location.ts'
import { s3Failure } from './s3-failure.ts'
import { abortable, abortUpload, createS3Object, encryptionOf } from './s3-upload.ts'
import type { ObjectPlace } from './storage-error.ts'
import type { ObjectProvider, ObjectStorageOptions, OpenedRange } from './stored-object.ts'

const DEFAULT_REGION = 'us-east-1'

/** An object of Amazon S3 or of a server with the same protocol. */
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
 * Each of these the SDK would otherwise read from AWS_* variables or the files of a profile. They are for the platform's
 * role: an endpoint of theirs would get the requests for a bucket that a caller names, signed with the caller's keys.
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
    // Without these members, the SDK takes what the platform gives: for the operator's own storage only.
    ...('credentials' in location ? {} : { ...WITHOUT_ENVIRONMENT, credentials: keysOf(location) }),
    ...(endpoint !== undefined && { endpoint }),
    // Servers of one's own rarely have a name for each bucket.
    forcePathStyle: location.pathStyle ?? endpoint !== undefined,
    requestHandler: { httpAgent: agents.http, httpsAgent: agents.https },
    // Otherwise the SDK sends checksums in a form that many compatible servers refuse; parts carry an MD5 instead.
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
  if (!(Body instanceof Readable) || ETag === undefined) throw new Error('the answer has no body or no ETag')
  if (offset === 0) return { sizeBytes: ContentLength, version: ETag, body: Body }
  const range = /^bytes (\d+)-\d+\/(\d+)$/.exec(ContentRange ?? '')
  if (Number(range?.[1]) !== offset) throw new Error('the answer is not the range that was asked for')
  return { sizeBytes: Number(range?.[2]), version: ETag, body: Body }
}
