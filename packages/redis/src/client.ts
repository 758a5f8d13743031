import { StartFailure } from '@signet/service-runtime/start-failure'
import { Redis } from 'ioredis'

export type { Redis } from 'ioredis'

export interface RedisOptions {
  readonly url: { reveal(): string }
  /** Shown by `CLIENT LIST`. */
  readonly name: string
  /** Called with connection errors; the client goes on reconnecting by itself. */
  readonly onError?: (error: Error) => void
  /** Commands fail after this long instead of waiting for a reconnect; milliseconds. */
  readonly commandTimeoutMs?: number
}

/**
 * Opens a connection that reconnects for ever with a bounded, jittered delay. While there is no connection
 * commands fail at once: a caller decides between its fallback and a 503, nothing queues up in memory.
 */
export function createRedis({ url, name, onError, commandTimeoutMs = 2_000 }: RedisOptions): Redis {
  const redis = new Redis(url.reveal(), {
    connectionName: name,
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: commandTimeoutMs,
    connectTimeout: 5_000,
    retryStrategy: (attempt) => Math.min(50 * 2 ** Math.min(attempt, 6), 2_000),
  })
  redis.on('error', (error) => onError?.(error))
  return redis
}

/** Connects now. Throws StartFailure naming the server's answer when it cannot be reached. */
export async function connectRedis(redis: Redis): Promise<void> {
  try {
    await redis.connect()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new StartFailure(`Redis cannot be reached: ${reason}; check SIGNET_REDIS_URL`)
  }
}

/** An evicting Redis would forget revocations silently. Throws StartFailure unless its policy is `noeviction`. */
export async function requireNoEviction(redis: Redis): Promise<void> {
  const memory = await redis.info('memory')
  const policy = /^maxmemory_policy:(\S+)/m.exec(memory)?.[1]
  if (policy === undefined || policy === 'noeviction') return
  throw new StartFailure(
    `Redis evicts keys (maxmemory-policy ${policy}); set maxmemory-policy noeviction on the server of SIGNET_REDIS_URL`,
  )
}
