import type { Redis } from '@signet/redis/client'
import { watchPrimaries } from '@signet/redis/primaries'
import { z } from 'zod'
import { reach, unavailable } from '../dependency.ts'
import { keyspaces } from '../keyspaces.ts'
import { hashOf, isRandomValue, newRandomValue, type RandomBytes } from '../sessions/browser.ts'
import { changeRecord, type SignedRecords, signedRecords } from '../signed-record.ts'
import type { PendingStore, PostedParameters } from './pending-authorization.ts'

interface PendingKeyspace {
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

const record = z.record(z.string(), z.string())

interface PostedParametersOptions {
  readonly masterKeys: readonly Buffer[]
  readonly random: RandomBytes
  readonly requireRoom: RequireRoom
}

export function createRedisPostedParameters(
  redis: Redis,
  { masterKeys, random, requireRoom }: PostedParametersOptions,
): PostedParameters {
  const records = signedRecords({ masterKeys, purpose: 'signet posted parameters', schema: record })
  const { postedParameters } = keyspaces
  return {
    async keep(parameters) {
      await requireRoom()
      const handle = newRandomValue(random)
      const key = postedParameters.key({ handle })
      await reach('redis', () =>
        redis.set(key, records.seal(key, parameters), 'EX', postedParameters.ttlSeconds),
      )
      return handle
    },
    async take(handle) {
      if (!isRandomValue(handle)) return undefined
      const key = postedParameters.key({ handle })
      return records.open(key, await reach('redis', () => redis.getdel(key)))
    },
  }
}

/** Throws TemporarilyUnavailableError where the rest of the memory is for what must go on. */
type RequireRoom = () => Promise<void>

const SHARE_FOR_ANONYMOUS = 0.9

/**
 * Redis holds what ends sessions and tokens beside what is stored for people who are not signed in yet, and evicts
 * nothing. When nine tenths of its memory are used, no new sign-in begins; those that have begun, revocations and
 * sign-outs go on. A server without `maxmemory`, or one that does not tell, has room.
 */
export function memoryReserve(redis: Redis): RequireRoom {
  const primaries = watchPrimaries(redis, () => {})
  return async () => {
    const shares = await Promise.all(primaries.all().map(usedShare))
    if (shares.every((share) => share < SHARE_FOR_ANONYMOUS)) return
    throw unavailable('redis', new Error('nine tenths of maxmemory are used; give Redis more memory'))
  }
}

async function usedShare(primary: Redis): Promise<number> {
  const memory = await primary.info('memory').catch(() => '')
  const bytes = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(memory)?.[1] ?? 0)
  const limit = bytes('maxmemory')
  return limit === 0 ? 0 : bytes('used_memory') / limit
}
