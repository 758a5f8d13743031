import type { Redis } from '@signet/redis/client'
import { entryOf, LOG_KEY } from '@signet/revocation-reader/mirror-keys'
import type { Revocation } from './revocation-store.ts'

/** A reader that is further behind reads PostgreSQL. It takes some 1 MB. */
const ENTRIES = 10_000
/** Ends nothing: readers begin from the last entry, so there has to be one. */
const OPENED = 'opened'

/**
 * Tells the readers of the log. Rejects when Redis did not take all of them. While it is
 * not open nothing is written, and nobody reads it: who begins later finds in PostgreSQL what was revoked before.
 */
export async function appendToLog(redis: Redis, revocations: readonly Revocation[]): Promise<void> {
  await Promise.all(
    revocations.map((revocation) =>
      redis.xadd(LOG_KEY, 'NOMKSTREAM', 'MAXLEN', '~', ENTRIES, '*', entryOf(revocation), revocation.value),
    ),
  )
}

/** Opens the log unless it is open. */
export async function openLog(redis: Redis): Promise<void> {
  if ((await redis.exists(LOG_KEY)) === 0) await redis.xadd(LOG_KEY, '*', OPENED, 0)
}

/**
 * Begins the log anew, so that its readers do: what a shard is filled with may be what they have missed. An open log is
 * never deleted for that, because ids would begin anew too.
 */
export async function renewLog(redis: Redis): Promise<void> {
  await redis.xadd(LOG_KEY, 'MAXLEN', '=', 1, '*', OPENED, 0)
}

/** Has readers ask the mirror, until somebody opens a new log. */
export async function closeLog(redis: Redis): Promise<void> {
  await redis.del(LOG_KEY)
}
