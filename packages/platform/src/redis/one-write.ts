import { Redis as SingleConnection } from 'ioredis'
import type { Redis } from './redis.ts'

/**
 * Sends the commands of `work` in one write: a system call for each takes a busy server longer than all its other
 * work for one. Commands for a cluster as a whole are left alone.
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
