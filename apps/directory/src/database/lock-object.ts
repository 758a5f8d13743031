import { ADVISORY_LOCKS } from '@signet/platform/postgres/advisory-locks'
import type { Queryable } from '@signet/platform/postgres/pool'

/** Waits until no other transaction holds the lock of the object, and holds it until this one ends. */
export async function lockObject(queryable: Queryable, kind: string, id: string): Promise<void> {
  await queryable.query({
    name: 'management.lock',
    text: 'SELECT pg_advisory_xact_lock($1, hashtext($2))',
    values: [ADVISORY_LOCKS.managedObject, `${kind} ${id}`],
  })
}
