import type { RedisCommander } from 'ioredis'

/**
 * A connection to Redis in any layout. Commands have one key, or several under one hash tag, so that they mean the
 * same on one server and on a cluster.
 */
export interface Redis extends RedisCommander {
  readonly status: string
  connect(): Promise<void>
  disconnect(): void
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'ready' | 'close', listener: () => void): unknown
}
