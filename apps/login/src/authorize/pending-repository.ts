import type { Redis } from '@signet/redis/client'
import type { PendingStore } from '../browser/pending.ts'
import { reach } from '../dependency.ts'
import { hashOf, isRandomValue } from '../sessions/browser.ts'
import { changeRecord, type SignedRecords } from '../signed-record.ts'
import type { RequireRoom } from '../stores/memory-reserve.ts'

export interface PendingKeyspace {
  readonly ttlSeconds: number
  key(values: { readonly requestId: string }): string
}

/** Keeps one kind of pending request. */
export function createRedisPendingStore<T extends { readonly browserHash: string }>(
  redis: Redis,
  keyspace: PendingKeyspace,
  { records, requireRoom }: { readonly records: SignedRecords<T>; readonly requireRoom: RequireRoom },
): PendingStore<T> {
  return {
    async create(requestId, pending) {
      await requireRoom()
      const key = keyspace.key({ requestId })
      await reach('redis', () => redis.set(key, records.seal(key, pending), 'EX', keyspace.ttlSeconds))
    },
    async load(requestId, browserId) {
      if (!isRandomValue(requestId) || browserId === undefined) return undefined
      const key = keyspace.key({ requestId })
      const pending = records.open(key, await reach('redis', () => redis.get(key)))
      return pending?.browserHash === hashOf(browserId) ? pending : undefined
    },
    async change(requestId, browserId, change) {
      if (!isRandomValue(requestId) || browserId === undefined) return false
      const key = keyspace.key({ requestId })
      const isOurs = ({ browserHash }: T) => browserHash === hashOf(browserId)
      const changed = await changeRecord(redis, { key, records }, async (pending) =>
        isOurs(pending) ? { to: change(pending) } : undefined,
      )
      return changed !== undefined && isOurs(changed.before)
    },
    async finish(requestId) {
      return (await reach('redis', () => redis.del(keyspace.key({ requestId })))) === 1
    },
  }
}
