import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import type { StoredObject } from '@signet/object-storage/stored-object'
import type { DocumentTarget } from '../exports/document-writer.ts'

/**
 * A document that becomes an object: it appears whole with `commit`, and nothing of it stays after `abort`. The handle
 * of an upload is kept by `onStarted`, so that a later attempt can remove what this one may leave.
 */
export function storageTarget(
  object: StoredObject,
  onStarted: (handle: string) => Promise<void>,
): DocumentTarget {
  const body = new PassThrough({ highWaterMark: 1_048_576 })
  const written = object.write(body, { onStarted })
  // Reported by whichever of the calls below comes next.
  written.catch(() => body.destroy())
  return {
    async write(chunk) {
      if (body.destroyed) await written
      if (!body.write(chunk)) await Promise.race([once(body, 'drain'), written])
    },
    async commit() {
      body.end()
      await written
      object.close()
    },
    async abort() {
      body.destroy(new Error('the export was given up'))
      await written.catch(() => undefined)
      object.close()
    },
  }
}
