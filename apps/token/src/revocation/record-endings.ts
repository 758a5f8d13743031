import type { Condition } from '@signet/admin-api/audit/audit-table'
import type { Queryable, Statement, Transaction } from '@signet/platform/postgres/pool'
import type { Ending, EndingKind } from '@signet/revocation-reader/endings'

/** Object that ends now. */
export interface NewEnding {
  readonly kind: Exclude<EndingKind, 'k'>
  readonly id: string
  /** 1, or for users, clients and organizations the epoch below which everything is dead. */
  readonly value: number
  /** Seconds since 1970: when the access token ends by itself, now at the earliest. Absent: the longest life of one from now. */
  readonly expiresAt?: number
}

/**
 * Writes endings in the transaction of the caller; values and ends of those that exist only rise. Returns every one of
 * them, since a repeated call appends them to the log again. Concurrent calls may have any of them in common. With a condition, whose
 * SQL may name the row `new`, it records and returns those for which the condition is true.
 */
export async function recordEndings(
  tx: Queryable,
  endings: readonly NewEnding[],
  condition?: Condition,
): Promise<readonly Ending[]> {
  return endings.length === 0 ? [] : (await tx.query<Ending>(insertEndings(endings, condition))).rows
}

/** Records endings as `recordEndings` does, in one round trip with the statements before it and COMMIT. */
export async function commitEndings(
  tx: Transaction,
  endings: readonly NewEnding[],
  before: readonly Statement[],
  condition?: Condition,
): Promise<readonly Ending[]> {
  const results = await tx.commit<Ending>(
    ...before,
    ...(endings.length === 0 ? [] : [insertEndings(endings, condition)]),
  )
  return endings.length === 0 ? [] : (results.at(-1)?.rows ?? [])
}

const insertEndings = (endings: readonly NewEnding[], condition?: Condition): Statement => ({
  // primary key; in one order, so that two calls cannot wait for each other
  name: condition === undefined ? 'revocation.record' : `revocation.record_${condition.name}`,
  text: `INSERT INTO grants.revocation AS r (day, kind, id, value, until)
         SELECT floor(extract(epoch FROM until) / 86400), kind, id, value, until
           FROM (SELECT kind, id, value, greatest(clock_timestamp(),
                            coalesce(to_timestamp(expires_at), clock_timestamp() + interval '24 hours'))
                          + interval '60 seconds' AS until
                   FROM unnest($1::text[], $2::text[], $3::bigint[], $4::float8[])
                        AS new (kind, id, value, expires_at)) AS new
          ${condition === undefined ? '' : `WHERE ${condition.sql(5)}`}
          ORDER BY kind, id
             ON CONFLICT (day, kind, id)
             DO UPDATE SET value = greatest(r.value, excluded.value), until = greatest(r.until, excluded.until),
                    xid = pg_current_xact_id()
         RETURNING kind, id, value, extract(epoch FROM until - clock_timestamp())::float8 AS "secondsLeft"`,
  values: [
    endings.map(({ kind }) => kind),
    endings.map(({ id }) => id),
    endings.map(({ value }) => value),
    endings.map(({ expiresAt }) => expiresAt ?? null),
    ...(condition?.values ?? []),
  ],
})

/** Records for ever that a key is revoked. */
export async function recordRevokedKey(database: Queryable, kid: string): Promise<Ending> {
  await database.query({
    name: 'revoked_key.record', // primary key
    text: `INSERT INTO grants.revoked_key (kid) VALUES ($1)
           ON CONFLICT (kid) DO UPDATE SET xid = pg_current_xact_id()`,
    values: [kid],
  })
  return { kind: 'k', id: kid, value: 1, secondsLeft: Number.POSITIVE_INFINITY }
}
