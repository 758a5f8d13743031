import type { Queryable } from '@signet/platform/postgres/pool'

/** First key of the advisory locks of the management API. */
const LOCK_SPACE = 7_331_007

/** Waits until no other transaction holds the lock of the object, and holds it until this one ends. */
export async function lockObject(queryable: Queryable, kind: string, id: string): Promise<void> {
  await queryable.query({
    name: 'management.lock',
    text: 'SELECT pg_advisory_xact_lock($1, hashtext($2))',
    values: [LOCK_SPACE, `${kind} ${id}`],
  })
}
