import type { Cluster, Redis } from 'ioredis'
import { connectionTo } from './client.ts'

export interface QueueConnectionOptions {
  /** A URL for `readRedisUrl`. User and password are read again for each connection. */
  readonly url: { reveal(): string }
  /** Shown by `CLIENT LIST`. */
  readonly name: string
  /** Called with connection errors; the client reconnects by itself. */
  readonly onError: (error: Error) => void
}

// Longer than blocking commands of BullMQ, which wait up to ten seconds.
const SILENT_SOCKET_MS = 15_000

/**
 * Connects at once, and again after each lost connection. Commands wait for a connection and are sent again to the next server.
 * So it is only for consumers of a queue whose work can be repeated, such as the `Worker` of BullMQ.
 */
export function createQueueConnection({ url, name, onError }: QueueConnectionOptions): Redis | Cluster {
  const redis = connectionTo(url, {
    name,
    commands: {
      lazyConnect: false,
      enableOfflineQueue: true,
      maxRetriesPerRequest: null,
      autoResendUnfulfilledCommands: true,
      socketTimeout: SILENT_SOCKET_MS,
    },
  })
  redis.on('error', onError)
  return redis
}
