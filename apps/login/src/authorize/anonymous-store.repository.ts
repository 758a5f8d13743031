// Records of callers who have not signed in: they never fill Redis.
import type { Redis } from '@signet/platform/redis/connection'
import { createScript, runScript } from '@signet/platform/redis/script'
import { queryStore, unavailable } from '../dependency.ts'

/**
 * Stores a record of an anonymous caller, or throws TemporarilyUnavailableError when the server of its key uses 90 % of
 * `maxmemory`. Redis also holds revocations and evicts nothing, so these records must leave memory free: above the limit no new
 * sign-in starts, while started sign-ins, revocations and sign-outs continue. A server without `maxmemory`, or one that does not
 * answer INFO, stores each record.
 */
export type StoreAnonymous = (key: string, record: string, ttlSeconds: number) => Promise<void>

const MAX_MEMORY_SHARE = 0.9

// ARGV: record, seconds, share. One round trip for the look at the memory and the record; 0: nothing is stored.
const STORE = createScript(`
local memory = redis.pcall('INFO', 'memory')
if type(memory) == 'string' then
  local limit = tonumber(string.match(memory, '\\nmaxmemory:(%d+)') or 0)
  local used = tonumber(string.match(memory, '\\nused_memory:(%d+)') or 0)
  if limit > 0 and used >= limit * tonumber(ARGV[3]) then return 0 end
end
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
return 1`)

export function createAnonymousStore(redis: Redis): StoreAnonymous {
  return async (key, record, ttlSeconds) => {
    const values = [record, ttlSeconds, MAX_MEMORY_SHARE]
    const stored = await queryStore('redis', () => runScript(redis, STORE, [key], values))
    if (stored === 1) return
    throw unavailable('redis', new Error('nine tenths of maxmemory are used; give Redis more memory'))
  }
}
