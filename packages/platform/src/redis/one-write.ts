import { Redis as SingleConnection } from 'ioredis'
import type { Redis } from './redis.ts'

/**
 * Has the commands that `work` sends leave in one write: a system call for each takes a busy server longer than all else
 * that it does for one. What is asked on a connection to a cluster as a whole is left alone.
 */
export function inOneWrite(connection: Redis, work: () => void): void {
  // Absent before the first connection; the commands then fail by themselves.
  const stream = connection instanceof SingleConnection ? connection.stream : undefined
  stream?.cork()
  try {
    work()
  } finally {
    stream?.uncork()
  }
}
