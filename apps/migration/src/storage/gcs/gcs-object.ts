import { Readable } from 'node:stream'
import { Storage } from '@google-cloud/storage'
import { createGuardedAgents } from '@signet/platform/outbound-http/guarded-agents'
import type { AuthClient } from 'google-auth-library'
import type { GcsLocation } from '../object-location.ts'
import type { ObjectPlace } from '../storage-error.ts'
import type { ObjectStorageOptions } from '../storage-options.ts'
import type { ObjectHead, ObjectProvider } from '../stored-object.ts'
import { GOOGLE_API, gcsClient } from './gcs-client.ts'
import { gcsFailure } from './gcs-failure.ts'
import { cancelUpload, createGcsObject } from './gcs-upload.ts'

/** Stored bytes: neither Google's servers nor the client may decompress objects that are marked as gzip. */
const RAW = { headers: { 'Accept-Encoding': 'gzip' }, compress: false }

interface ObjectResource {
  readonly size: string
  readonly generation: string
}

/** An object of Google Cloud Storage or of a server with the same API. */
export function openGcsObject(
  location: GcsLocation,
  place: ObjectPlace,
  { allow, idleMs, gcs }: ObjectStorageOptions,
): ObjectProvider {
  const agents = createGuardedAgents({ allow, idleMs })
  const client = gcsClient(location.serviceAccount, { agents, endpoints: gcs })
  const storage = new Storage({
    authClient: client,
    // The SDK's own rule leaves out connections that fell silent.
    retryOptions: { retryableErrorFn: (error) => gcsFailure(error, place, 'create').isTransient },
  })
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
  if (!(data instanceof Readable)) throw new Error('the answer has no body')
  if (offset > 0 && status !== 206) throw new Error('the answer is not the range that was asked for')
  return data
}

function abortable(signal: AbortSignal | undefined): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal }
}
