import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import type { DocumentTarget } from '../exports/document-writer.ts'
import { ObjectStorageError } from './storage-error.ts'
import type { StoredObject } from './stored-object.ts'

interface StorageTargetOptions {
  /** Is given the handle of an upload, so that a later attempt can remove what this one may leave. */
  readonly onStarted: (handle: string) => Promise<void>
  /** Called with the length of the object before it can appear. */
  readonly onCompleting: (sizeBytes: number) => Promise<void>
  /** An earlier attempt was about to complete the object, and the credentials do not allow to look whether it did. */
  readonly mayBeComplete: boolean
}

/** A document that becomes an object: it appears whole with `commit`, and nothing of it stays after `abort`. */
export function storageTarget(
  object: StoredObject,
  { onStarted, onCompleting, mayBeComplete }: StorageTargetOptions,
): DocumentTarget {
  const body = new PassThrough({ highWaterMark: 1_048_576 })
  const written = object.write(body, { onStarted })
  let sizeBytes = 0
  // Reported by whichever of the calls below comes next.
  written.catch(() => body.destroy())
  return {
    async write(chunk) {
      sizeBytes += chunk.length
      if (body.destroyed) await written
      if (!body.write(chunk)) await Promise.race([once(body, 'drain'), written])
    },
    async commit() {
      await onCompleting(sizeBytes)
      body.end()
      try {
        await written
        return []
      } catch (error) {
        const isThere = error instanceof ObjectStorageError && error.reason === 'object_exists'
        if (!isThere || !mayBeComplete) throw error
        return ['an attempt of this job that was lost had completed the object already']
      } finally {
        object.close()
      }
    },
    async abort() {
      body.destroy(new Error('the export was given up'))
      await written.catch(() => undefined)
      object.close()
    },
  }
}
