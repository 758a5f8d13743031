import { Redis as SingleConnection } from 'ioredis'
import type { Redis } from './redis.ts'

/**
 * Has the commands of one turn of the event loop leave in one write: call it before each. A system call for every command
 * took a busy server as long as everything else that it did for one. What is asked on a connection to a cluster as a
 * whole is left alone.
 */
export function inOneWrite(connection: Redis): void {
  if (!(connection instanceof SingleConnection)) return
  // Of this connection and no later one, however soon it is replaced.
  const { stream } = connection
  // Absent before the first connection; the command then fails by itself.
  if (stream === undefined) return
  stream.cork()
  setImmediate(() => stream.uncork())
}
