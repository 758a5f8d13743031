import type { Queryable } from '@signet/postgres/pool'

/**
 * Redemptions hold the lock of a session shared, its logout exclusive. Without it a redemption that has already
 * looked for the session's end would create a grant that the logout no longer sees.
 * The lock is a statement of its own: the next one then reads what was committed while it waited.
 */
export async function lockSessionShared(tx: Queryable, sid: string): Promise<void> {
  await tx.query({
    name: 'session.lock_shared',
    text: 'SELECT pg_advisory_xact_lock_shared(hashtextextended($1, 0))',
    values: [sid],
  })
}

/** Sorted, so that two logouts with sessions in common cannot wait for each other. */
export async function lockSessions(tx: Queryable, sids: readonly string[]): Promise<void> {
  for (const sid of [...sids].sort()) {
    await tx.query({
      name: 'session.lock',
      text: 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))',
      values: [sid],
    })
  }
}
