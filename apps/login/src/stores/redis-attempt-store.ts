import type { Redis } from '@signet/redis/client'
import { reach } from '../dependency.ts'
import { keyspaces } from '../redis-keyspaces.ts'
import type { AttemptStore } from '../throttling/attempt-store.ts'

// The arithmetic of `waitAfter`, here where nothing comes between reading and counting.
const TAKE = `
local free, longest, keep, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local count = tonumber(redis.call('HGET', KEYS[1], 'count') or '0')
local last = tonumber(redis.call('HGET', KEYS[1], 'last') or '0')
if count >= free then
  if longest == 0 then return 0 end
  if now < last + math.min(2 ^ math.min(count - free, 30), longest) * 1000 then return 0 end
end
redis.call('HSET', KEYS[1], 'count', count + 1, 'last', ARGV[4])
if longest > 0 or redis.call('TTL', KEYS[1]) < 0 then redis.call('EXPIRE', KEYS[1], keep) end
return 1`

const GIVE_BACK = `
if tonumber(redis.call('HGET', KEYS[1], 'count') or '0') > 0 then redis.call('HINCRBY', KEYS[1], 'count', -1) end
return 1`

const keyOf = (subject: string) => keyspaces.failedAttempts.key({ subject })

export function createRedisAttemptStore(redis: Redis): AttemptStore {
  return {
    async take(key, { free, longestDelaySeconds, forgetAfterSeconds }, now) {
      const longest = longestDelaySeconds === 'until-forgotten' ? 0 : longestDelaySeconds
      const rule = [free, longest, forgetAfterSeconds, now.getTime()]
      return (await reach('redis', () => redis.eval(TAKE, 1, keyOf(key), ...rule))) === 1
    },
    async giveBack(key) {
      await reach('redis', () => redis.eval(GIVE_BACK, 1, keyOf(key)))
    },
    async clear(key) {
      await reach('redis', () => redis.del(keyOf(key)))
    },
  }
}
