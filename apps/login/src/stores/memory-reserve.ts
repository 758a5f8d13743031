import type { Redis } from '@signet/redis/client'
import { watchPrimaries } from '@signet/redis/primaries'
import { unavailable } from '../dependency.ts'

/** Throws TemporarilyUnavailableError where the rest of the memory is for what must go on. */
export type RequireRoom = () => Promise<void>

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
