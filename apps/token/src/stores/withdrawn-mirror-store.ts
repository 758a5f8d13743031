import type { Redis } from '@signet/redis/client'
import { fillKey, SHARDS } from '@signet/revocation-reader/mirror-keys'
import { closeLog } from './mirror-log.ts'
import type { MirrorStore } from './mirror-store.ts'

/**
 * Stands in where every reader asks PostgreSQL: nothing is written. What an earlier mirror says about being whole is
 * taken back in every round, so that neither a reader that still asks it nor one that will again is misled by it.
 */
export function createWithdrawnMirrorStore(redis: Redis): MirrorStore {
  return {
    write: async () => undefined,
    async shardsToFill() {
      await Promise.all(Array.from({ length: SHARDS }, (_, shard) => redis.del(fillKey(shard))))
      return undefined
    },
    fill: async () => undefined,
    openLog: () => closeLog(redis),
    closeLog: async () => undefined,
  }
}
