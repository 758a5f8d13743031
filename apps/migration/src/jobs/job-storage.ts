import { once } from 'node:events'
import { BlockList } from 'node:net'
import { PassThrough } from 'node:stream'
import type { StagedSealer } from '../sealing.ts'
import { openObject } from '../storage/open-object.ts'
import type { OwnStorage } from '../storage/own-storage.ts'
import { contentTypeOf } from '../storage/packed-document.ts'
import { ObjectStorageError } from '../storage/storage-error.ts'
import type { DocumentTarget, ObjectStorageOptions, StoredObject } from '../storage/stored-object.ts'
import type { UploadRepository } from '../storage/upload.repository.ts'
import type { Job } from './job.ts'
import { createResolveLocation, openLocation, ownPath } from './requested-location.ts'

interface Dependencies {
  readonly uploads: UploadRepository
  readonly sealer: StagedSealer
  readonly options: ObjectStorageOptions
  readonly ownStorage: OwnStorage | undefined
}

/** The operator's own storage may be anywhere: no caller named it. */
const ANYWHERE = new BlockList()
ANYWHERE.addSubnet('0.0.0.0', 0, 'ipv4')
ANYWHERE.addSubnet('::', 0, 'ipv6')

/** The place that the handle of an unfinished upload is sealed for. */
export const uploadPlace = (jobId: string) => `upload ${jobId}`

/** Opens the storage locations of jobs. */
export function createJobStorage({ uploads, sealer, options, ownStorage }: Dependencies) {
  const resolveLocation = createResolveLocation(ownStorage)
  const ownOptions = { ...options, allow: ANYWHERE, folder: ownStorage?.folder }

  async function located(
    job: Job,
  ): Promise<{ readonly object: StoredObject; readonly notes: readonly string[] }> {
    const sealed = await uploads.sealedLocation(job.id)
    if (sealed === undefined) throw new Error(`job ${job.id} has no storage location any more`)
    const requested = openLocation(sealer, job, sealed)
    const path = ownPath(requested)
    // The api that accepted the job has one.
    if (ownStorage === undefined && typeof path === 'string') {
      throw new ObjectStorageError({
        reason: 'unreachable',
        place: { service: 'storage', object: path },
        rule: 'this worker has no storage of its own; set SIGNET_STORAGE_URL there too',
      })
    }
    const { location, isOwn } = resolveLocation(requested)
    const objectPath = job.kind === 'export' ? datedPath(location.path, job.createdAt) : location.path
    const object = await openObject({ ...location, path: objectPath }, isOwn ? ownOptions : options)
    return { object, notes: objectPath === location.path ? [] : [`the object is ${objectPath}`] }
  }

  const open = async (job: Job): Promise<StoredObject> => (await located(job)).object

  /** The state of the object that an earlier attempt was about to complete. */
  async function found(object: StoredObject, sizeBytes: number): Promise<'whole' | 'not whole' | 'unknown'> {
    try {
      return (await object.head()).sizeBytes === sizeBytes ? 'whole' : 'not whole'
    } catch (error) {
      if (!(error instanceof ObjectStorageError) || error.isTransient) throw error
      return error.reason === 'object_missing' ? 'not whole' : 'unknown'
    }
  }

  return {
    open,
    /**
     * The target of an export; the incomplete upload of an earlier attempt is removed first. `complete` when
     * such an attempt wrote the whole object and stopped before it stored that.
     */
    async target(job: Job): Promise<DocumentTarget | 'complete'> {
      const { object, notes } = await located(job)
      const abandoned = await uploads.sealedUpload(job.id)
      const completingBytes = await uploads.completingBytes(job.id)
      const earlier = completingBytes === undefined ? 'not whole' : await found(object, completingBytes)
      if (earlier === 'whole') {
        object.close()
        return 'complete'
      }
      if (abandoned !== undefined) {
        await object.abandonWrite(sealer.open(abandoned, uploadPlace(job.id)).toString('utf8'))
        await uploads.setUpload(job.id, undefined)
      }
      return createStorageTarget(object, {
        onStarted: (handle) =>
          uploads.setUpload(job.id, sealer.seal(Buffer.from(handle), uploadPlace(job.id))),
        onCompleting: (sizeBytes) => uploads.setCompletingBytes(job.id, sizeBytes),
        mayBeComplete: earlier === 'unknown',
        contentType: contentTypeOf(job.request),
        notes,
      })
    },
  }
}

/** `{date}` in the path of an export is the time of the call, the same for all attempts: 20261124T000000Z. */
function datedPath(path: string, createdAt: Date): string {
  return path.replaceAll('{date}', createdAt.toISOString().replace(/[-:]|\.\d+/g, ''))
}

interface StorageTargetOptions {
  /** Is given the handle of an upload, so that a later attempt can remove what this one may leave. */
  readonly onStarted: (handle: string) => Promise<void>
  /** Called with the length of the object before it can appear. */
  readonly onCompleting: (sizeBytes: number) => Promise<void>
  /** An earlier attempt was about to complete the object, and the credentials do not allow to look whether it did. */
  readonly mayBeComplete: boolean
  readonly contentType: string
  /** Notes about a complete document. */
  readonly notes: readonly string[]
}

/** A document that becomes an object: it appears whole with `commit`, and nothing of it stays after `abort`. */
function createStorageTarget(
  object: StoredObject,
  { onStarted, onCompleting, mayBeComplete, contentType, notes }: StorageTargetOptions,
): DocumentTarget {
  const body = new PassThrough({ highWaterMark: 1_048_576 })
  const written = object.write(body, { onStarted, contentType })
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
        return notes
      } catch (error) {
        const isThere = error instanceof ObjectStorageError && error.reason === 'object_exists'
        if (!isThere || !mayBeComplete) throw error
        return [...notes, 'an attempt of this job that was lost had completed the object already']
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
