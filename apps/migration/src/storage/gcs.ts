import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type File, Storage } from '@google-cloud/storage'
import { createGuardedAgents, type GuardedAgents } from '@signet/platform/outbound-http/guarded-agents'
import { type AuthClient, GoogleAuth, JWT, type JWTOptions } from 'google-auth-library'
import { gcsFailure, isLostUpload, LostUpload } from './gcs-failure.ts'
import type { GcsLocation, ServiceAccount } from './object-location.ts'
import type { ObjectPlace } from './storage-error.ts'
import {
  fixedParts,
  type ObjectHead,
  type ObjectProvider,
  type ObjectStorageOptions,
  prepended,
  type WriteOptions,
} from './stored-object.ts'

/** Stored bytes: neither Google's servers nor the client may decompress objects that are marked as gzip. */
const RAW = { headers: { 'Accept-Encoding': 'gzip' }, compress: false }

interface ObjectResource {
  readonly size: string
  readonly generation: string
}

/** An object of Google Cloud Storage or of a server with the same API. */
export async function openGcsObject(
  location: GcsLocation,
  place: ObjectPlace,
  { allow, idleMs, gcs }: ObjectStorageOptions,
): Promise<ObjectProvider> {
  const agents = createGuardedAgents({ allow, idleMs })
  const client = await gcsClient(location, { agents, endpoints: location.endpoints ?? gcs })
  const storage = new Storage({
    authClient: client,
    // The SDK's own rule leaves out connections that fell silent.
    retryOptions: {
      retryableErrorFn: (error) => !isLostUpload(error) && gcsFailure(error, place, 'create').isTransient,
    },
  })
  // STORAGE_EMULATOR_HOST sets these for uploads, which carry the token of the location.
  Object.assign(storage, {
    apiEndpoint: GOOGLE_API,
    baseUrl: `${GOOGLE_API}/storage/v1`,
    customEndpoint: false,
  } satisfies Partial<Storage>)
  const file = storage.bucket(location.bucket).file(location.path)
  // The SDK's own way of reading takes its connections from a pool of the whole process, without our address rules.
  const url = `${GOOGLE_API}/storage/v1/b/${encodeURIComponent(location.bucket)}/o/${encodeURIComponent(location.path)}`

  async function resource(
    signal: AbortSignal | undefined,
  ): Promise<ObjectHead & { readonly generation: string }> {
    const { data } = await client.request<ObjectResource>({ url, ...abortable(signal) })
    return { sizeBytes: Number(data.size), generation: data.generation }
  }

  return {
    head: resource,
    async openRange({ offset, version, signal }) {
      const { sizeBytes, generation } = await resource(signal)
      const wanted = version ?? generation
      const body = await media(client, { url, generation: wanted, offset, signal })
      return { sizeBytes, version: wanted, body }
    },
    write: (bytes, options) => createGcsObject(client, file, bytes, options),
    abandonWrite: (handle) => cancelUpload(client, handle),
    failure: (error, action) => gcsFailure(error, place, action),
    close: () => agents.close(),
  }
}

interface MediaRequest {
  readonly url: string
  readonly generation: string
  readonly offset: number
  readonly signal: AbortSignal | undefined
}

async function media(
  client: AuthClient,
  { url, generation, offset, signal }: MediaRequest,
): Promise<Readable> {
  const range = offset === 0 ? {} : { Range: `bytes=${offset}-` }
  const { data, status } = await client.request<Readable>({
    url,
    params: { alt: 'media', ifGenerationMatch: generation },
    ...RAW,
    headers: { ...RAW.headers, ...range },
    responseType: 'stream',
    ...abortable(signal),
  })
  if (!(data instanceof Readable)) throw new Error('the response has no body')
  if (offset > 0 && status !== 206) throw new Error('the response is not the requested range')
  return data
}

function abortable(signal: AbortSignal | undefined): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal }
}

/** Sent again when the connection is cut meanwhile. A multiple of 256 KiB, as the protocol wants. */
const CHUNK_BYTES = 8_388_608

/** Generation 0 is "there is none": the object is created, never replaced, which also needs no right to delete. */
const CREATE_ONLY = { ifGenerationMatch: 0 }

/** The statuses for a cancelled upload, and for one that ended before. */
const CANCELLED: ReadonlySet<number> = new Set([204, 404, 410, 499])

/** Sends the bytes through a resumable upload, which becomes an object with its last byte. */
export async function createGcsObject(
  client: AuthClient,
  file: File,
  bytes: AsyncIterable<Uint8Array>,
  { onStarted, signal, contentType = 'application/json' }: WriteOptions,
): Promise<ObjectHead> {
  signal?.throwIfAborted()
  const chunks = fixedParts(bytes, CHUNK_BYTES)
  const first = await chunks.next()
  const isEmpty = first.value === undefined || first.value.length === 0
  const [uri] = await file.createResumableUpload({
    preconditionOpts: CREATE_ONLY,
    metadata: { contentType },
  })
  try {
    await onStarted?.(uri)
    let sizeBytes = 0
    const counted = async function* () {
      for await (const chunk of prepended(first.value ?? Buffer.alloc(0), chunks)) {
        sizeBytes += chunk.length
        yield chunk
      }
    }
    await pipeline(
      counted,
      file.createWriteStream({
        uri,
        resumable: true,
        // The SDK names an impossible range for a chunk without bytes.
        ...(isEmpty ? {} : { chunkSize: CHUNK_BYTES }),
        preconditionOpts: CREATE_ONLY,
        // The SDK would delete an object that arrived damaged; the credentials need not be allowed to. TLS sees damage.
        validation: false,
      }),
      signal === undefined ? {} : { signal },
    )
    return { sizeBytes }
  } catch (error) {
    // The cause of the failed write matters more than the open upload, which is invisible and expires.
    await cancelUpload(client, uri).catch(() => undefined)
    throw isLostUpload(error) ? new LostUpload('the upload is lost', { cause: error }) : error
  }
}

/** Ends an upload and drops what it has; does nothing when it ended. */
export async function cancelUpload(client: AuthClient, uri: string): Promise<void> {
  await client.request({ url: uri, method: 'DELETE', validateStatus: (status) => CANCELLED.has(status) })
}

const SCOPE = 'https://www.googleapis.com/auth/devstorage.read_write'
export const GOOGLE_API = 'https://storage.googleapis.com'
const GOOGLE_TOKEN_URL = 'https://oauth2.googleapis.com/token'

interface GcsConnection {
  readonly agents: GuardedAgents
  readonly endpoints: GcsLocation['endpoints']
}

/**
 * Makes requests as a service account, or with what the platform gives. `endpoints` replaces the addresses of Google: the
 * options of the SDKs for other servers leave out the credentials, our agents, or both.
 */
async function gcsClient(location: GcsLocation, { agents, endpoints }: GcsConnection): Promise<AuthClient> {
  const transporterOptions = {
    agent: (url: URL) => (url.protocol === 'http:' ? agents.http : agents.https),
    // A redirect could lead anywhere. 308 means "go on" in uploads and has to come through.
    redirect: 'manual' as const,
  }
  const client =
    'credentials' in location
      ? await new GoogleAuth({ scopes: [SCOPE], clientOptions: { transporterOptions } }).getClient()
      : serviceAccountClient(location.serviceAccount, transporterOptions)
  if (endpoints !== undefined) {
    const { apiUrl, tokenUrl } = endpoints
    client.transporter.interceptors.request.add({
      resolved: async (request) => {
        if (tokenUrl !== undefined && request.url.href === GOOGLE_TOKEN_URL) request.url = new URL(tokenUrl)
        else if (request.url.origin === GOOGLE_API) {
          request.url = new URL(request.url.pathname + request.url.search, apiUrl)
        }
        return request
      },
    })
  }
  return client
}

function serviceAccountClient(
  { clientEmail, privateKey }: ServiceAccount,
  transporterOptions: NonNullable<JWTOptions['transporterOptions']>,
): JWT {
  return new JWT({ email: clientEmail, key: privateKey.reveal(), scopes: [SCOPE], transporterOptions })
}
