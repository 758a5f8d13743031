import type { Redis } from '@signet/redis/client'
import type { z } from 'zod'
import { hashOf, isRandomValue } from '../browser/browser.ts'
import type { PendingStore } from '../browser/pending.ts'
import { reach } from '../dependency.ts'
import type { RequireRoom } from './memory-reserve.ts'

export interface PendingKeyspace {
  readonly ttlSeconds: number
  key(values: { readonly requestId: string }): string
}

/** Keeps one kind of pending request; `schema` reads back what `create` was given. */
export function createRedisPendingStore<T extends { readonly browserHash: string }>(
  redis: Redis,
  keyspace: PendingKeyspace,
  { schema, requireRoom }: { readonly schema: z.ZodType<T>; readonly requireRoom: RequireRoom },
): PendingStore<T> {
  return {
    async create(requestId, pending) {
      await requireRoom()
      const key = keyspace.key({ requestId })
      await reach('redis', () => redis.set(key, JSON.stringify(pending), 'EX', keyspace.ttlSeconds))
    },
    async load(requestId, browserId) {
      if (!isRandomValue(requestId) || browserId === undefined) return undefined
      const value = await reach('redis', () => redis.get(keyspace.key({ requestId })))
      if (value === null) return undefined
      const pending = schema.safeParse(JSON.parse(value)).data
      return pending?.browserHash === hashOf(browserId) ? pending : undefined
    },
    async replace(requestId, pending) {
      const key = keyspace.key({ requestId })
      await reach('redis', () => redis.set(key, JSON.stringify(pending), 'KEEPTTL', 'XX'))
    },
    async finish(requestId) {
      return (await reach('redis', () => redis.del(keyspace.key({ requestId })))) === 1
    },
  }
}
