import { setTimeout as delay } from 'node:timers/promises'
import { decompress } from '@signet/file-formats/archive/compression'
import type { ObjectLocation } from './object-location.ts'
import { type ObjectPlace, ObjectStorageError } from './storage-error.ts'
import type { ObjectProvider, ObjectStorageOptions, OpenedRange, StoredObject } from './stored-object.ts'

/** The object at a location. Nothing is connected to yet; the SDK of its storage is loaded when first needed. */
export async function openObject(
  location: ObjectLocation,
  options: ObjectStorageOptions,
): Promise<StoredObject> {
  const place = placeOf(location)
  const provider = await openProvider(location, place, options)
  const explained = async <T>(
    action: 'read' | 'create',
    work: Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> => {
    try {
      return await work
    } catch (error) {
      // The caller knows why it gave up.
      signal?.throwIfAborted()
      throw provider.failure(error, action)
    }
  }
  return {
    head: (signal) => explained('read', provider.head(signal), signal),
    async read({ limitBytes, signal }) {
      const opened = await explained('read', provider.openRange({ offset: 0, signal }), signal)
      const stored = readResuming(provider, opened, { retryDelayMs: options.retryDelayMs, signal })
      const bytes = decompress(stored, {
        limitBytes,
        tooLarge: (rule) => new ObjectStorageError({ reason: 'object_too_large', place, rule }),
        damaged: () =>
          new ObjectStorageError({
            reason: 'object_unreadable',
            place,
            rule: 'is damaged gzip or zstd, or zstd above level 19; compress it again or store it uncompressed',
          }),
        sealed: () =>
          new ObjectStorageError({
            reason: 'object_unreadable',
            place,
            rule: 'is sealed with age; the server has no key for it: open it with signet archive open, or import it with signet import --identity',
          }),
      })
      return { sizeBytes: opened.sizeBytes, bytes }
    },
    async write(bytes, { onStarted, signal, contentType } = {}) {
      const caller = watchCaller(bytes, onStarted)
      try {
        return await provider.write(caller.bytes, { onStarted: caller.onStarted, signal, contentType })
      } catch (error) {
        signal?.throwIfAborted()
        // Errors of the caller's own functions pass unchanged; the rest are the storage's.
        throw caller.failed(error) ? error : provider.failure(error, 'create')
      }
    },
    abandonWrite: (handle) => explained('create', provider.abandonWrite(handle)),
    close: () => provider.close(),
  }
}

function placeOf(location: ObjectLocation): ObjectPlace {
  switch (location.provider) {
    case 's3':
      return { service: 'S3', bucket: location.bucket, object: location.path }
    case 'gcs':
      return { service: 'Google Cloud Storage', bucket: location.bucket, object: location.path }
    case 'file':
      return { service: 'file', object: location.path }
  }
}

async function openProvider(
  location: ObjectLocation,
  place: ObjectPlace,
  options: ObjectStorageOptions,
): Promise<ObjectProvider> {
  switch (location.provider) {
    // Each SDK takes half a second to load: only who moves an object through it waits for that.
    case 's3':
      return (await import('./s3.ts')).openS3Object(location, place, options)
    case 'gcs':
      return (await import('./gcs.ts')).openGcsObject(location, place, options)
    case 'file':
      return (await import('./file.ts')).openFileObject(location, place, options)
  }
}

/** Failures in a row without a byte in between. */
const MOST_FAILURES = 5

interface ResumedReadOptions {
  /** Doubles with each failure in a row. */
  readonly retryDelayMs: number
  readonly signal?: AbortSignal | undefined
}

/**
 * The bytes of one version of an object, all of them: when a transfer ends early it continues where it was. Fails
 * with ObjectStorageError when it does not continue, or the object is another one meanwhile.
 */
export async function* readResuming(
  provider: ObjectProvider,
  opened: OpenedRange,
  { retryDelayMs, signal }: ResumedReadOptions,
): AsyncGenerator<Buffer, void, undefined> {
  const { sizeBytes, version } = opened
  let body = opened.body
  let offset = 0
  let failures = 0
  try {
    for (;;) {
      try {
        if (failures > 0) {
          await delay(retryDelayMs * 2 ** (failures - 1), undefined, signal === undefined ? {} : { signal })
          body = (await provider.openRange({ offset, version, signal })).body
        }
        for await (const chunk of body) {
          offset += chunk.length
          failures = 0
          yield chunk
        }
        if (offset >= sizeBytes) return
        throw Object.assign(new Error('the transfer ended early'), { code: 'ECONNRESET' })
      } catch (error) {
        signal?.throwIfAborted()
        const failure = provider.failure(error, 'read')
        failures += 1
        if (!failure.isTransient || failures > MOST_FAILURES) throw failure
      }
    }
  } finally {
    body.destroy()
  }
}

/** Wraps the caller's arguments of a write, to distinguish their errors from those of the storage. */
export function watchCaller(
  bytes: AsyncIterable<Uint8Array>,
  onStarted: ((handle: string) => Promise<void>) | undefined,
) {
  const failures = new Set<unknown>()
  async function* watched(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      yield* bytes
    } catch (error) {
      failures.add(error)
      throw error
    }
  }
  return {
    bytes: watched(),
    async onStarted(handle: string): Promise<void> {
      try {
        await onStarted?.(handle)
      } catch (error) {
        failures.add(error)
        throw error
      }
    },
    failed: (error: unknown): boolean => failures.has(error),
  }
}
