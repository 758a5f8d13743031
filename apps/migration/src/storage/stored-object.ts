import type { Readable } from 'node:stream'
import type { ObjectStorageError } from './storage-error.ts'

export interface ObjectHead {
  /** As stored, before any decompression. */
  readonly sizeBytes: number
}

export interface ReadOptions {
  /** More than this after decompression is refused. */
  readonly limitBytes: number
  readonly signal?: AbortSignal | undefined
}

export interface ObjectContent extends ObjectHead {
  /** Decompressed if the object is gzip. Fails with ObjectStorageError. Ending the iteration ends the transfer. */
  readonly bytes: AsyncIterable<Buffer>
}

export interface WriteOptions {
  /**
   * Called before the first byte leaves when the write has several steps; it waits. With the handle a write that was
   * cut short by the end of the process can be abandoned. The handle is a secret.
   */
  readonly onStarted?: ((handle: string) => Promise<void>) | undefined
  readonly signal?: AbortSignal | undefined
}

/** One place in a storage. Every method rejects with ObjectStorageError. */
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
