import type { Redis } from '@signet/redis/client'
import { entryOf, LOG_KEY } from '@signet/revocation-reader/mirror-keys'
import type { Revocation } from './revocation-store.ts'

/** A reader that is further behind reads PostgreSQL; some 1 MB. */
const ENTRIES = 10_000
/** Ends nothing: it is there so that a log in which nothing was written yet can be told from one that was lost. */
const OPENED = 'opened'

/** Tells the readers of the log, in the order of the revocations. Rejects when Redis did not take all of them. */
export async function appendToLog(redis: Redis, revocations: readonly Revocation[]): Promise<void> {
  await Promise.all(revocations.map((revocation) => append(redis, entryOf(revocation), revocation.value)))
}

/** Gives readers an entry to begin from. */
export async function openLog(redis: Redis): Promise<void> {
  await append(redis, OPENED, 0)
}

function append(redis: Redis, entry: string, value: number): Promise<unknown> {
  return redis.xadd(LOG_KEY, 'MAXLEN', '~', ENTRIES, '*', entry, value)
}
