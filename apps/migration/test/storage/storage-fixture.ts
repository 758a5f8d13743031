import { randomBytes } from 'node:crypto'
import { BlockList } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import type { ObjectLocation } from '../../src/storage/object-location.ts'
import { openObject } from '../../src/storage/open-object.ts'
import type { StoredObject } from '../../src/storage/stored-object.ts'

export const LIMIT_BYTES = 1_000_000_000
const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8)

export const OPTIONS = { allow: loopback, idleMs: 5_000, retryDelayMs: 1 }
/** Options for tests in which nothing comes: long enough for what does come on a busy machine. */
export const IMPATIENT = { ...OPTIONS, idleMs: 400 }

/** Random bytes, which gzip cannot compress. */
export const noise = (bytes: number): Buffer => randomBytes(bytes)
export const gzip = (bytes: Buffer): Buffer => gzipSync(bytes)

export async function* inChunks(bytes: Buffer, chunkBytes = 1_000_003): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes)
}

/** Fails after its bytes. */
export async function* breaking(bytes: Buffer, error: Error): AsyncGenerator<Buffer> {
  yield* inChunks(bytes)
  throw error
}

export async function using<T>(
  location: ObjectLocation,
  work: (object: StoredObject) => Promise<T>,
  options: Parameters<typeof openObject>[1] = OPTIONS,
): Promise<T> {
  const object = await openObject(location, options)
  try {
    return await work(object)
  } finally {
    object.close()
  }
}

/** Reads an object to its end. */
export async function contentOf(object: StoredObject, limitBytes = LIMIT_BYTES): Promise<Buffer> {
  return buffer((await object.read({ limitBytes })).bytes)
}
