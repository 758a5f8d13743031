import type { Statement } from '@signet/platform/postgres/pool'

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

/**
 * Locks those of the tokens that no other transaction holds, and keeps their ids in a setting of the transaction, which
 * `FREE_TOKENS_SQL` reads: later statements depend on it without another round trip. No id holds a space.
 */
export const lockFreeTokens = (ids: readonly string[]): Statement => ({
  name: 'session.lock_free',
  text: `SELECT set_config('signet.free_tokens', coalesce(string_agg(id, ' '), ''), true) FROM unnest($1::text[]) AS wanted (id)
          WHERE pg_try_advisory_xact_lock(hashtextextended(id, 0))`,
  values: [ids],
})

/** An array of the ids that `lockFreeTokens` locked, in SQL. */
export const FREE_TOKENS_SQL = "string_to_array(current_setting('signet.free_tokens'), ' ')"
