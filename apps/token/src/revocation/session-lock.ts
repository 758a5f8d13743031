import type { Queryable, Statement } from '@signet/platform/postgres/pool'

/**
 * Redemptions hold the lock of a session shared, its logout exclusive. Without it a redemption that has already
 * looked for the session's end would create a grant that the logout no longer sees.
 * The lock is a statement of its own: the next one then reads what was committed while it waited.
 */
export const lockSessionShared = (sid: string): Statement => ({
  name: 'session.lock_shared',
  text: 'SELECT pg_advisory_xact_lock_shared(hashtextextended($1, 0))',
  values: [sid],
})

/** Sorted, so that two logouts with sessions in common cannot wait for each other. */
export const lockSessions = (sids: readonly string[]): readonly Statement[] =>
  [...sids].sort().map((sid) => ({
    name: 'session.lock',
    text: 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))',
    values: [sid],
  }))

/** Locks those of the sessions or tokens that no other transaction holds, and returns them. */
export async function lockFreeSessions(tx: Queryable, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await tx.query<{ id: string }>({
    name: 'session.lock_free',
    text: 'SELECT id FROM unnest($1::text[]) AS wanted (id) WHERE pg_try_advisory_xact_lock(hashtextextended(id, 0))',
    values: [ids],
  })
  return new Set(rows.map(({ id }) => id))
}
