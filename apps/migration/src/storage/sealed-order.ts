import type { StagedSealer } from '../sealing/staged-sealer.ts'
import type { StorageOrder } from './storage-member.ts'

const place = (jobId: string) => `storage order ${jobId}`

/** Encrypts a storage location for the database: only workers with the master key read its credentials. */
export function sealOrder(sealer: StagedSealer, jobId: string, order: StorageOrder): Buffer {
  return sealer.seal(Buffer.from(JSON.stringify(order)), place(jobId))
}

export function openOrder(sealer: StagedSealer, jobId: string, sealed: Buffer): StorageOrder {
  return JSON.parse(sealer.open(sealed, place(jobId)).toString('utf8')) as StorageOrder
}
