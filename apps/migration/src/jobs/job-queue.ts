import type { Logger } from '@signet/service-runtime/logger'
import { Queue } from 'bullmq'

/** Dispatches jobs to workers. It is never the only copy of one: PostgreSQL holds the truth. */
export interface JobQueue {
  /** Whether the queue's Redis answers now. */
  isReachable(): Promise<boolean>
  close(): Promise<void>
}

/** BullMQ's own hash tag keeps all keys of the queue in one slot of a cluster. */
const QUEUE_PREFIX = '{signet-mig}'

/** Opens the queue of exports and imports; it connects by itself and goes on trying. */
export function openJobQueue(redisUrl: { reveal(): string }, logger: Logger): JobQueue {
  const queue = new Queue('jobs', {
    prefix: QUEUE_PREFIX,
    connection: { url: redisUrl.reveal(), maxRetriesPerRequest: 1, enableOfflineQueue: false },
  })
  queue.on('error', (error) => logger.warn('queue_unreachable', { error }))
  return {
    async isReachable() {
      try {
        await queue.getJobCounts()
        return true
      } catch (error) {
        logger.warn('queue_unreachable', { error })
        return false
      }
    },
    close: () => queue.close(),
  }
}
