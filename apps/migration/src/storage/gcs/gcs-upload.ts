import { pipeline } from 'node:stream/promises'
import type { File } from '@google-cloud/storage'
import type { AuthClient } from 'google-auth-library'
import { fixedParts, prepended } from '../fixed-parts.ts'
import type { ObjectHead, WriteOptions } from '../stored-object.ts'

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
  { onStarted, signal }: WriteOptions,
): Promise<ObjectHead> {
  signal?.throwIfAborted()
  const chunks = fixedParts(bytes, CHUNK_BYTES)
  const first = await chunks.next()
  const isEmpty = first.value === undefined || first.value.length === 0
  const [uri] = await file.createResumableUpload({
    preconditionOpts: CREATE_ONLY,
    metadata: { contentType: 'application/json' },
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
    throw error
  }
}

/** Ends an upload and drops what it has; does nothing when it ended. */
export async function cancelUpload(client: AuthClient, uri: string): Promise<void> {
  await client.request({ url: uri, method: 'DELETE', validateStatus: (status) => CANCELLED.has(status) })
}
