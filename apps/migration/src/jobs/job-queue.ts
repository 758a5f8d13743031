import { createRedis } from '@signet/redis/client'
import type { Logger } from '@signet/service-runtime/logger'
import { Queue } from 'bullmq'

/** Dispatches jobs to workers. It is never the only copy of one: PostgreSQL holds the truth. */
export interface JobQueue {
  /** Whether the queue's Redis answers now; known within two seconds. */
  isReachable(): Promise<boolean>
  close(): Promise<void>
}

/** The hash tag keeps all keys of the queue in one slot of a cluster. */
export const QUEUE = { name: 'jobs', prefix: '{signet-mig}' } as const

/**
 * Opens the queue of exports and imports on the Redis that `readRedisUrl` understands, whatever its layout. It connects
 * by itself and goes on trying; meanwhile what is asked of it fails at once.
 */
export function openJobQueue(redisUrl: { reveal(): string }, logger: Logger): JobQueue {
  const unreachable = (error: unknown) => logger.warn('queue_unreachable', { error })
  const connection = createRedis({ url: redisUrl, name: 'migration-queue', onError: unreachable })
  connection.connect().catch(unreachable)
  const queue = new Queue(QUEUE.name, {
    prefix: QUEUE.prefix,
    connection,
    // Otherwise the first connection must come about before anything fails, and one bad moment in it is final.
    skipWaitingForReady: true,
    skipVersionCheck: true,
  })
  queue.on('error', unreachable)
  return {
    async isReachable() {
      try {
        await queue.getJobCounts()
        return true
      } catch (error) {
        unreachable(error)
        return false
      }
    },
    async close() {
      await queue.close()
      connection.disconnect()
    },
  }
}
