import type { Redis } from '@signet/platform/redis/connection'
import { queryStore } from '../dependency.ts'
import { keyspaces } from '../keyspaces.ts'
import type { UsedChallenges } from './passkey-challenge.ts'

/** Used challenges in Redis, until they expire. */
export function createUsedChallenges(redis: Redis): UsedChallenges {
  const { usedChallenge } = keyspaces
  return {
    async claim(challengeHash) {
      const key = usedChallenge.key({ challengeHash })
      const ttl = usedChallenge.ttlSeconds
      return (await queryStore('redis', () => redis.set(key, '1', 'EX', ttl, 'NX'))) === 'OK'
    },
  }
}
