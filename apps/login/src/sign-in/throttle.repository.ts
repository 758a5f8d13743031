// Counters of failed and running attempts in Redis.
import type { Redis } from '@signet/platform/redis/connection'
import { createScript, runScript } from '@signet/platform/redis/script'
import { queryStore } from '../dependency.ts'
import { keyspaces } from '../keyspaces.ts'
import type { RandomBytes } from '../sessions/browser.ts'
import { type AttemptStore, MAX_RUN_SECONDS } from './throttle.ts'

// The same rule as `decide`, here atomic. A hash holds `u:<id>`, the expiry of a running attempt; for a delay rule
// `count` and `last`; for a window rule `s:<subject>`, the time of its last failure.
const BEGIN = createScript(`
local kind, free, longest, ttl = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local now, id, runSeconds = tonumber(ARGV[5]), ARGV[6], tonumber(ARGV[7])
local count, at, running = 0, 0, 0
local fields = redis.call('HGETALL', KEYS[1])
for i = 1, #fields, 2 do
  local name, value = fields[i], tonumber(fields[i + 1])
  local prefix = string.sub(name, 1, 2)
  if prefix == 'u:' then
    if now >= value then redis.call('HDEL', KEYS[1], name) else running = running + 1 end
  elseif prefix == 's:' then
    if now >= value + ttl * 1000 then redis.call('HDEL', KEYS[1], name)
    else
      count = count + 1
      if at == 0 or value < at then at = value end
    end
  elseif name == 'count' then count = value
  elseif name == 'last' then at = value end
end
if count < free then
  if count + running >= free then return -1 end
else
  local wait = ttl
  if kind == 'delay' then
    if running > 0 then return -1 end
    wait = math.min(2 ^ math.min(count - free, 30), longest)
  end
  local ready = at + wait * 1000
  if now < ready then return math.ceil((ready - now) / 1000) end
end
redis.call('HSET', KEYS[1], 'u:' .. id, now + runSeconds * 1000)
if redis.call('TTL', KEYS[1]) < runSeconds then redis.call('EXPIRE', KEYS[1], runSeconds) end
return 0`)

const FINISH = createScript(`
local kind, result, ttl, now, id, subject = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]
redis.call('HDEL', KEYS[1], 'u:' .. id)
if result == 'succeeded' then
  if kind == 'delay' then redis.call('HDEL', KEYS[1], 'count', 'last') else redis.call('HDEL', KEYS[1], 's:' .. subject) end
elseif result == 'failed' then
  if kind == 'delay' then
    redis.call('HINCRBY', KEYS[1], 'count', 1)
    redis.call('HSET', KEYS[1], 'last', now)
  else
    redis.call('HSET', KEYS[1], 's:' .. subject, now)
  end
  redis.call('EXPIRE', KEYS[1], ttl)
end
return 1`)

const keyOf = (subject: string) => keyspaces.failedAttempts.key({ subject })

export function createThrottleRepository(redis: Redis, random: RandomBytes): AttemptStore {
  return {
    async begin({ key, subject, rule }, now) {
      const { kind, free, expireAfterSeconds: ttl } = rule
      const longest = rule.kind === 'delay' ? rule.longestDelaySeconds : 0
      const id = random(12).toString('base64url')
      const values = [kind, free, longest, ttl, now.getTime(), id, MAX_RUN_SECONDS]
      const result = Number(await queryStore('redis', () => runScript(redis, BEGIN, [keyOf(key)], values)))
      if (result < 0) return { outcome: 'wait' }
      if (result > 0) return { outcome: 'refused', retryAfterSeconds: result }
      return {
        outcome: 'started',
        async finish(result, finishedAt) {
          const finished = [kind, result, ttl, finishedAt.getTime(), id, subject]
          await queryStore('redis', () => runScript(redis, FINISH, [keyOf(key)], finished))
        },
      }
    },
    async clear(key) {
      await queryStore('redis', () => redis.del(keyOf(key)))
    },
  }
}
