import type { Redis } from '@signet/redis/client'
import { fillKey, LOG_KEY, SHARDS } from '@signet/revocation-reader/mirror-keys'
import type { MirrorStore } from './mirror-store.ts'

/**
 * Stands in where every reader asks PostgreSQL: nothing is written. What an earlier mirror says about being whole is
 * taken back in every round, so that neither a reader that still asks it nor one that will again is misled by it.
 */
export function createWithdrawnMirrorStore(redis: Redis): MirrorStore {
  return {
    write: async () => undefined,
    async shardsToFill() {
      const fills = Array.from({ length: SHARDS }, (_, shard) => fillKey(shard))
      await Promise.all([...fills, LOG_KEY].map((key) => redis.del(key)))
      return undefined
    },
    fill: async () => undefined,
  }
}
