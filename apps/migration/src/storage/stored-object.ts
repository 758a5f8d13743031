import type { BlockList } from 'node:net'
import type { Readable } from 'node:stream'
import type { ObjectStorageError } from './storage-error.ts'

export interface ObjectHead {
  /** Size as stored, before any decompression. */
  readonly sizeBytes: number
}

export interface ReadOptions {
  /** More than this after decompression is refused. */
  readonly limitBytes: number
  readonly signal?: AbortSignal | undefined
}

export interface ObjectContent extends ObjectHead {
  /** Decompressed if the object is gzip or zstd. Fails with ObjectStorageError. Ending the iteration ends the transfer. */
  readonly bytes: AsyncIterable<Buffer>
}

export interface WriteOptions {
  /**
   * Called before the first byte leaves when the write has several steps; it waits. With the handle a write that was
   * cut short by the end of the process can be abandoned. The handle is a secret.
   */
  readonly onStarted?: ((handle: string) => Promise<void>) | undefined
  readonly signal?: AbortSignal | undefined
  /** Content type of the object, by default JSON. Files have none. */
  readonly contentType?: string | undefined
}

/** Object in a storage, whether it exists or not. Every method rejects with ObjectStorageError. */
export interface StoredObject {
  head(signal?: AbortSignal): Promise<ObjectHead>
  /** Reads one version of the object: continues a cut connection where it ended, and fails when the object changes. */
  read(options: ReadOptions): Promise<ObjectContent>
  /**
   * Creates the object; refuses to replace one. It appears whole or not at all: when `bytes` fails, or the storage,
   * or `signal` aborts, what was written is removed before this rejects.
   */
  write(bytes: AsyncIterable<Uint8Array>, options?: WriteOptions): Promise<ObjectHead>
  /** Removes what a write left that the end of its process cut short; does nothing when there is nothing. */
  abandonWrite(handle: string): Promise<void>
  /** Closes the connections. */
  close(): void
}

/** The stored bytes from an offset on. */
export interface OpenedRange extends ObjectHead {
  /** Changes with the content. */
  readonly version: string
  readonly body: Readable
}

/**
 * The operations of a storage on one of its objects. Rejects with the errors of its SDK, which `failure`
 * explains.
 */
export interface ObjectProvider {
  head(signal: AbortSignal | undefined): Promise<ObjectHead>
  /** `version` is that of the part that was read before. */
  openRange(range: {
    readonly offset: number
    readonly version?: string | undefined
    readonly signal?: AbortSignal | undefined
  }): Promise<OpenedRange>
  write(bytes: AsyncIterable<Uint8Array>, options: WriteOptions): Promise<ObjectHead>
  abandonWrite(handle: string): Promise<void>
  /** An ObjectStorageError for what a method or a body threw. */
  failure(error: unknown, action: 'read' | 'create'): ObjectStorageError
  close(): void
}

export interface ObjectStorageOptions {
  /** Networks beside the public Internet where a storage may be. */
  readonly allow: BlockList
  /** A connection without traffic for this time, at most twice as long, is closed and opened again. */
  readonly idleMs: number
  /** Before the first repetition; doubles with each further one in a row. */
  readonly retryDelayMs: number
  /** URLs of Google's API, when it is not served by Google. */
  readonly gcs?: GcsEndpoints | undefined
  /** The folder of `file` locations; without it there are none. */
  readonly folder?: string | undefined
}

export interface GcsEndpoints {
  readonly apiUrl: string
  readonly tokenUrl: string
}

/** The same bytes in parts of exactly `partBytes`, but for the last, which is never empty unless it is the only one. */
export async function* fixedParts(
  bytes: AsyncIterable<Uint8Array>,
  partBytes: number,
): AsyncGenerator<Buffer, void, undefined> {
  let pieces: Uint8Array[] = []
  let length = 0
  let parts = 0
  for await (const chunk of bytes) {
    let rest = chunk
    while (length + rest.length > partBytes) {
      const taken = partBytes - length
      yield Buffer.concat([...pieces, rest.subarray(0, taken)])
      parts += 1
      rest = rest.subarray(taken)
      pieces = []
      length = 0
    }
    // A copy: the producer may reuse the buffer.
    pieces.push(Uint8Array.from(rest))
    length += rest.length
  }
  if (length > 0 || parts === 0) yield Buffer.concat(pieces)
}

/** `first`, then the others. */
export async function* prepended(
  first: Buffer,
  rest: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer, void, undefined> {
  yield first
  yield* rest
}

/** Takes a document, piece by piece. */
export interface DocumentTarget {
  write(chunk: Buffer): Promise<void>
  /** The document is whole. Answers what an administrator should know of that. */
  commit(): Promise<readonly string[]>
  /** Removes everything that was written. */
  abort(): Promise<void>
}
