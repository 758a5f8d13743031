import type { Redis } from '@signet/platform/redis/connection'
import { queryStore } from '../dependency.ts'
import { keyspaces } from '../keyspaces.ts'
import type { LogoutMemory } from './upstream-logout.service.ts'

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
        Promise.all(keys.map((key) => redis.set(ended(key), `${until}`, 'EX', ttlSeconds))),
      )
    },
    async endedUntil(keys) {
      const times = await queryStore('redis', () => Promise.all(keys.map((key) => redis.get(ended(key)))))
      return Math.max(0, ...times.map(Number))
    },
  }
}
