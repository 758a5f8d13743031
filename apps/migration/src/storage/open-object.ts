import { gunzip } from './gunzip.ts'
import type { ObjectLocation } from './object-location.ts'
import { readResuming } from './resumed-read.ts'
import { type ObjectPlace, ObjectStorageError } from './storage-error.ts'
import type { ObjectStorageOptions } from './storage-options.ts'
import type { ObjectProvider, StoredObject } from './stored-object.ts'
import { watchCaller } from './watch-caller.ts'

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
      const bytes = gunzip(stored, {
        limitBytes,
        tooLarge: (rule) => new ObjectStorageError({ reason: 'object_too_large', place, rule }),
        damaged: () =>
          new ObjectStorageError({
            reason: 'object_unreadable',
            place,
            rule: 'is damaged gzip; compress it again or store it uncompressed',
          }),
      })
      return { sizeBytes: opened.sizeBytes, bytes }
    },
    async write(bytes, { onStarted, signal } = {}) {
      const caller = watchCaller(bytes, onStarted)
      try {
        return await provider.write(caller.bytes, { onStarted: caller.onStarted, signal })
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
      return (await import('./s3/s3-object.ts')).openS3Object(location, place, options)
    case 'gcs':
      return (await import('./gcs/gcs-object.ts')).openGcsObject(location, place, options)
    case 'file':
      return (await import('./file/file-object.ts')).openFileObject(location, place, options)
  }
}
