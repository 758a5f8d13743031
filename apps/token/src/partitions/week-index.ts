import type { Condition } from '@signet/admin-api/audit/audit-table'
import type { Queryable, Statement } from '@signet/platform/postgres/pool'
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

type EndKind = 's' | 'u' | 'g' | 't' | 'p'

/** A week in which rows of a table lie. */
export interface HeldWeek {
  readonly relation: Relation
  readonly endWeek: number
}

export function endWeeksOf(held: readonly HeldWeek[]): EndWeeks {
  const of = (wanted: Relation) =>
    held
      .flatMap(({ relation, endWeek }) => (relation === wanted ? [endWeek] : []))
      .toSorted((one, other) => one - other)
  return {
    authorization_grant: of('authorization_grant'),
    grant_origin: of('grant_origin'),
    session_client: of('session_client'),
  }
}

/**
 * Finds the weeks of what ends with sessions, users, grants or tokens of either kind. Statements on these weeks name their partitions:
 * one on the whole table would lock 62 of them with their indexes, and PostgreSQL has room for few such transactions.
 */
export async function findWeeks(
  tx: Queryable,
  kind: EndKind,
  ids: readonly string[],
  now: Date,
): Promise<EndWeeks> {
  const week = weekOf(now)
  const { rows } = await tx.query<HeldWeek>({
    name: `week_index.find_${week}`, // primary key of three or four partitions
    text: `SELECT DISTINCT relation, end_week AS "endWeek" FROM grants.week_index
            WHERE kind = $1 AND id = ANY ($2) AND end_week >= ${week}`,
    values: [kind, ids],
  })
  return endWeeksOf(rows)
}

/**
 * Finds the weeks that `findWeeks` finds, and keeps in a setting of the transaction whether all of them are among `known`, which
 * `WEEKS_ARE_KNOWN` reads: later statements depend on it without another round trip.
 */
export const compareWeeks = (
  kind: EndKind,
  ids: readonly string[],
  known: readonly HeldWeek[],
  now: Date,
): Statement => {
  const week = weekOf(now)
  return {
    name: `week_index.compare_${week}`, // primary key of three or four partitions
    text: `SELECT set_config('signet.weeks_are_known', (count(*) = count(*) FILTER (
                    WHERE (relation, end_week) IN (SELECT * FROM unnest($3::text[], $4::integer[]))))::text, true)::boolean AS "areKnown",
                  coalesce(jsonb_agg(DISTINCT jsonb_build_object('relation', relation, 'endWeek', end_week)), '[]') AS held
             FROM grants.week_index WHERE kind = $1 AND id = ANY ($2) AND end_week >= ${week}`,
    values: [kind, ids, known.map(({ relation }) => relation), known.map(({ endWeek }) => endWeek)],
  }
}

/** True behind `compareWeeks` in its transaction when it was called with all weeks. */
export const WEEKS_ARE_KNOWN: Condition = {
  name: 'known_weeks',
  sql: () => `current_setting('signet.weeks_are_known') = 'true'`,
  values: [],
}

/**
 * The SQL of whether no refresh family was exchanged for something, whose id is the expression `id`. An ending under a lock that keeps
 * exchanges out finds by it, in one round trip with what it writes, that no statement on a partition is needed. One look at the
 * primary key for each row: by OFFSET 0 it is no join, for which the planner could read all tokens.
 */
export const nothingExchangedSql = (kind: 'g' | 't', id: string, now: Date): string =>
  `NOT EXISTS (SELECT FROM grants.week_index w WHERE w.kind = '${kind}' AND w.id = ${id}
                                                 AND w.relation = 'grant_origin' AND w.end_week >= ${weekOf(now)} OFFSET 0)`
