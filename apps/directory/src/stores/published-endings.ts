import type { Queryable } from '@signet/postgres/pool'

/** Contains no transaction, so that everything is newer. */
const EMPTY_SNAPSHOT = '1:1:'

/**
 * One round of a reader of `grants_read.revocation_v1`: raises epochs to those published there, and deletes personal
 * access tokens that ended there, of all rows that the snapshot of the last round did not contain. Returns how many
 * objects it changed: more than 0 only after a fail-over to a server that lacked the directory's own change. Every
 * replica may run it.
 */
export function followPublishedEndings(database: Queryable): () => Promise<number> {
  let seen = EMPTY_SNAPSHOT
  return async () => {
    const { rows } = await database.query<{ snapshot: string; changed: number }>({
      name: 'published_ending.follow', // the index of grants.revocation on xid
      text: `SELECT pg_current_snapshot()::text AS snapshot, directory.follow_endings($1::pg_snapshot) AS changed`,
      values: [seen],
    })
    const [round] = rows
    if (round === undefined) return 0
    seen = round.snapshot
    return round.changed
  }
}
