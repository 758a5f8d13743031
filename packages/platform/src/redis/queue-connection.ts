import type { Cluster, Redis } from 'ioredis'
import { connectionTo } from './client.ts'

export interface QueueConnectionOptions {
  /** As `readRedisUrl` understands it. User and password are read again for each connection. */
  readonly url: { reveal(): string }
  /** Shown by `CLIENT LIST`. */
  readonly name: string
  /** Called with connection errors; the client reconnects by itself. */
  readonly onError: (error: Error) => void
}

// Longer than a blocking command may wait: BullMQ lets the server hold one for ten seconds.
const SILENT_SOCKET_MS = 15_000

/**
 * Connects by itself, now and whenever the connection is lost. Commands wait until there is one and are sent again to
 * whichever server comes next, so this is for consumers of a queue whose work bears repetition, BullMQ's `Worker`.
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
