import { BlockList } from 'node:net'
import type { DocumentTarget } from '../exports/document-writer.ts'
import type { Job } from '../runs/job.ts'
import type { StagedSealer } from '../sealing/staged-sealer.ts'
import type { StorageOrderStore } from '../stores/storage-order-store.ts'
import { openObject } from './open-object.ts'
import type { OwnStorage } from './own-storage.ts'
import { openOrder } from './sealed-order.ts'
import { ObjectStorageError } from './storage-error.ts'
import { ownPath, placeFinder } from './storage-member.ts'
import type { ObjectStorageOptions } from './storage-options.ts'
import { storageTarget } from './storage-target.ts'
import type { StoredObject } from './stored-object.ts'

interface Dependencies {
  readonly orders: StorageOrderStore
  readonly sealer: StagedSealer
  readonly options: ObjectStorageOptions
  readonly ownStorage: OwnStorage | undefined
}

/** The operator's own storage may be anywhere: no caller named it. */
const ANYWHERE = new BlockList()
ANYWHERE.addSubnet('0.0.0.0', 0, 'ipv4')
ANYWHERE.addSubnet('::', 0, 'ipv6')

const uploadPlace = (jobId: string) => `upload ${jobId}`

/** Opens the places in storages that jobs were given. */
export function storedPlaces({ orders, sealer, options, ownStorage }: Dependencies) {
  const placeOf = placeFinder(ownStorage)
  const ownOptions = { ...options, allow: ANYWHERE, folder: ownStorage?.folder }

  async function open(job: Job): Promise<StoredObject> {
    const sealed = await orders.sealedOrder(job.id)
    if (sealed === undefined) throw new Error(`job ${job.id} has no place in a storage any more`)
    const order = openOrder(sealer, job.id, sealed)
    const path = ownPath(order)
    // The api that took the order has one.
    if (ownStorage === undefined && typeof path === 'string') {
      throw new ObjectStorageError({
        reason: 'unreachable',
        place: { service: 'storage', object: path },
        rule: 'this worker has no storage of its own; set SIGNET_STORAGE_URL there too',
      })
    }
    const { location, isOwn } = placeOf(order)
    return await openObject(location, isOwn ? ownOptions : options)
  }

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
      const object = await open(job)
      const abandoned = await orders.sealedUpload(job.id)
      const completingBytes = await orders.completingBytes(job.id)
      const earlier = completingBytes === undefined ? 'not whole' : await found(object, completingBytes)
      if (earlier === 'whole') {
        object.close()
        return 'complete'
      }
      if (abandoned !== undefined) {
        await object.abandonWrite(sealer.open(abandoned, uploadPlace(job.id)).toString('utf8'))
        await orders.keepUpload(job.id, undefined)
      }
      return storageTarget(object, {
        onStarted: (handle) =>
          orders.keepUpload(job.id, sealer.seal(Buffer.from(handle), uploadPlace(job.id))),
        onCompleting: (sizeBytes) => orders.keepCompleting(job.id, sizeBytes),
        mayBeComplete: earlier === 'unknown',
      })
    },
  }
}
