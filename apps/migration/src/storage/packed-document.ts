import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { ApiError } from '@signet/admin-api/api-error'
import { type Compression, compressed } from '@signet/file-formats/archive/compression'
import { sealed } from '@signet/file-formats/archive/sealing'
import { AGE_START } from '@signet/file-formats/archive/stream-start'
import type { DocumentTarget } from './stored-object.ts'
import { fixedParts } from './stored-object.ts'

/** How a document is packed: compressed first, then sealed for the recipients. */
export interface Packing {
  /** Public keys of age. */
  readonly recipients?: readonly string[]
  readonly compression?: Compression
}

/** The request of a job as it is stored. */
type StoredPacking = { readonly [N in keyof Packing]?: unknown }

export const isSealed = ({ recipients }: StoredPacking): boolean => recipients !== undefined

const CONTENT_TYPES: Readonly<Record<string, string>> = { gzip: 'application/gzip', zstd: 'application/zstd' }

export function contentTypeOf(request: StoredPacking): string {
  if (isSealed(request)) return 'application/octet-stream'
  return CONTENT_TYPES[String(request.compression)] ?? 'application/json'
}

const CHUNK_BYTES = 1_048_576

/** Packs a document on its way to a target. Holds about two mebibytes. */
export function createPackedTarget(
  target: DocumentTarget,
  { recipients, compression }: Packing,
): DocumentTarget {
  if (recipients === undefined && compression === undefined) return target
  const body = new PassThrough({ highWaterMark: CHUNK_BYTES })
  const handedOn = handOn()
  // Reported by whichever of the calls below comes next.
  handedOn.catch(() => body.destroy())
  // Without a listener, giving up before the first byte is read would end the process.
  body.on('error', () => undefined)

  async function handOn(): Promise<void> {
    const plain = compression === undefined ? body : compressed(body, compression)
    const packed = recipients === undefined ? plain : sealed(plain, recipients)
    for await (const chunk of fixedParts(packed, CHUNK_BYTES)) await target.write(chunk)
  }

  return {
    async write(chunk) {
      if (body.destroyed) await handedOn
      if (!body.write(chunk)) await Promise.race([once(body, 'drain'), handedOn])
    },
    async commit() {
      body.end()
      await handedOn
      return await target.commit()
    },
    async abort() {
      body.destroy(new Error('the export was given up'))
      await handedOn.catch(() => undefined)
      await target.abort()
    },
  }
}

/**
 * The document of a finished export as the body of a response. Rejects before the first byte when a worker of an earlier
 * version, which does not know `recipients`, left it unsealed.
 */
export function packedBody(request: StoredPacking, pieces: AsyncIterable<Buffer>) {
  return { type: contentTypeOf(request), pieces: isSealed(request) ? sealedOnly(pieces) : pieces }
}

async function* sealedOnly(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  let isFirst = true
  for await (const piece of pieces) {
    if (isFirst && !piece.subarray(0, AGE_START.length).equals(AGE_START)) {
      throw new ApiError(
        'FAILED_PRECONDITION',
        'a worker of an earlier version wrote this document unsealed; export again when every worker is of this version',
        { reason: 'document_unsealed' },
      )
    }
    isFirst = false
    yield piece
  }
}
