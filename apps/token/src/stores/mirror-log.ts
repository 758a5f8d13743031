import { randomInt } from 'node:crypto'
import type { Redis } from '@signet/redis/client'
import { entryOf, LOG_KEY } from '@signet/revocation-reader/mirror-keys'
import type { Revocation } from './revocation-store.ts'

/** Each write has its own deadline, which runs from when it is sent. */
const WRITES_AT_ONCE = 500
/** A reader that is further behind reads PostgreSQL. It takes some 1 MB. */
const ENTRIES = 10_000
/** Ends nothing: readers begin from the last entry, so there has to be one. */
const OPENED = 'opened'

/**
 * Tells the readers of the log. Rejects when Redis did not take all of them. While it is not open nothing is written, and
 * nobody reads it: who begins later finds in PostgreSQL what was revoked before.
 */
export async function appendToLog(redis: Redis, revocations: readonly Revocation[]): Promise<void> {
  for (let start = 0; start < revocations.length; start += WRITES_AT_ONCE) {
    const batch = revocations.slice(start, start + WRITES_AT_ONCE)
    await Promise.all(
      batch.map((revocation) =>
        redis.xadd(LOG_KEY, 'NOMKSTREAM', 'MAXLEN', '~', ENTRIES, '*', entryOf(revocation), revocation.value),
      ),
    )
  }
}

// KEYS[1] log; ARGV[1] random. A log that is gone may have ended in this millisecond, and readers know it by its last id.
const OPEN = `
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
local now = redis.call('TIME')
redis.call('XADD', KEYS[1], string.format('%d%03d-%s', now[1], now[2] / 1000, ARGV[1]), '${OPENED}', 0)
return 1`

/** Opens the log unless it is open. */
export async function openLog(redis: Redis): Promise<void> {
  await redis.eval(OPEN, 1, LOG_KEY, randomInt(2 ** 32))
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
