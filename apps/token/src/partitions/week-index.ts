import type { Queryable } from '@signet/platform/postgres/pool'
import { weekOf } from './partition-plan.ts'

/** A table in weekly partitions whose rows end with a session, a user, a grant or a token. */
type Relation = 'authorization_grant' | 'grant_origin' | 'session_client'

/**
 * Returns the statement that records in which weeks rows lie, from `held`, a query of (kind, id, relation, end_week).
 * Recorded weeks are not written again. It writes in one order, so that two transactions with rows in common cannot
 * wait for each other.
 */
export const recordWeeks = (held: string): string =>
  `INSERT INTO grants.week_index (kind, id, relation, end_week)
   SELECT kind, id, relation, end_week FROM (${held}) AS held (kind, id, relation, end_week)
    ORDER BY kind, id, relation, end_week
       ON CONFLICT DO NOTHING`

/** The weeks, ascending, in which rows of each table may lie that have not reached their latest end. */
export type EndWeeks = Readonly<Record<Relation, readonly number[]>>

/**
 * Finds the weeks of what ends with sessions, users, grants or tokens of either kind. Statements on these weeks name their partitions:
 * one on the whole table would lock 62 of them with their indexes, and PostgreSQL has room for few such transactions.
 */
export async function findWeeks(
  tx: Queryable,
  kind: 's' | 'u' | 'g' | 't' | 'p',
  ids: readonly string[],
  now: Date,
): Promise<EndWeeks> {
  const week = weekOf(now)
  const { rows } = await tx.query<{ relation: Relation; endWeek: number }>({
    name: `week_index.find_${week}`, // primary key of three or four partitions
    text: `SELECT DISTINCT relation, end_week AS "endWeek" FROM grants.week_index
            WHERE kind = $1 AND id = ANY ($2) AND end_week >= ${week} ORDER BY end_week`,
    values: [kind, ids],
  })
  const of = (wanted: Relation) =>
    rows.flatMap(({ relation, endWeek }) => (relation === wanted ? [endWeek] : []))
  return {
    authorization_grant: of('authorization_grant'),
    grant_origin: of('grant_origin'),
    session_client: of('session_client'),
  }
}

/**
 * The SQL of whether no refresh family was exchanged for something, whose id is the expression `id`. An ending under a lock that keeps
 * exchanges out finds by it, in one round trip with what it writes, that no statement on a partition is needed. One look at the
 * primary key for each row: by OFFSET 0 it is no join, for which the planner could read all tokens.
 */
export const nothingExchangedSql = (kind: 'g' | 't', id: string, now: Date): string =>
  `NOT EXISTS (SELECT FROM grants.week_index w WHERE w.kind = '${kind}' AND w.id = ${id}
                                                 AND w.relation = 'grant_origin' AND w.end_week >= ${weekOf(now)} OFFSET 0)`
