import type { Redis } from '@signet/platform/redis/connection'
import { createScript, runScript } from '@signet/platform/redis/script'
import { queryStore } from '../dependency.ts'
import { keyspaces } from '../keyspaces.ts'
import type { LogoutMemory } from './upstream-logout.service.ts'

/** A token that comes late takes no later ending back. */
const END = createScript(`
local known = redis.call('GET', KEYS[1])
local later = ARGV[1]
if known and tonumber(known) > tonumber(later) then later = known end
return redis.call('SET', KEYS[1], later, 'EX', ARGV[2])`)

/** Logouts of providers in Redis. */
export function createLogoutMemory(redis: Redis): LogoutMemory {
  const used = (tokenHash: string) => keyspaces.usedLogoutToken.key({ tokenHash })
  const ended = (identityHash: string) => keyspaces.endedUpstream.key({ identityHash })
  const { ttlSeconds } = keyspaces.endedUpstream
  return {
    async claim(tokenHash, seconds) {
      return (await queryStore('redis', () => redis.set(used(tokenHash), '1', 'EX', seconds, 'NX'))) === 'OK'
    },
    async release(tokenHash) {
      await queryStore('redis', () => redis.del(used(tokenHash)))
    },
    async end(keys, until) {
      await queryStore('redis', () =>
        Promise.all(keys.map((key) => runScript(redis, END, [ended(key)], [until, ttlSeconds]))),
      )
    },
    async endedUntil(keys) {
      const times = await queryStore('redis', () => Promise.all(keys.map((key) => redis.get(ended(key)))))
      return Math.max(0, ...times.map(Number))
    },
  }
}
