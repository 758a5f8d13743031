import type { Queryable, Statement } from '@signet/platform/postgres/pool'
import type { EndingKind } from './endings.ts'
import { type LookUp, NO_EPOCH, SEPARATOR } from './revocation-set.ts'

// The statements by which a reader learns of the endings in PostgreSQL.

export interface EndingRow {
  readonly kind: EndingKind
  readonly id: string
  readonly value: number
  /** Null for ever. */
  readonly seconds_left: number | null
}
export interface PollRow {
  readonly in_recovery: boolean
  readonly snapshot: string
  readonly xmax: string
  readonly server: string
  readonly generation: number
  readonly xid: string | null
}

export const COLUMNS = `kind, id, value, CASE WHEN isfinite(until)
    THEN extract(epoch FROM until - clock_timestamp())::float8 END AS seconds_left`

/** A snapshot lacks the transactions that ran then or began later. */
const [BEGUN_LATER, RAN_THEN] = [
  `SELECT xid, kind, id, value, until FROM grants_read.revocation_v1
    WHERE xid >= pg_snapshot_xmax($1::text::pg_snapshot)`,
  `SELECT xid, kind, id, value, until FROM grants_read.revocation_v1
    WHERE xid = ANY (ARRAY(SELECT pg_snapshot_xip($1::text::pg_snapshot)))`,
]
export const MISSED = `SELECT ${COLUMNS} FROM (${BEGUN_LATER} UNION ALL ${RAN_THEN}) AS missed`

// The ORDER BY makes both branches use the index on xid. One statement, so that the rows and the next snapshot are of
// one moment.
const POLL = `SELECT pg_is_in_recovery() AS in_recovery, pg_current_snapshot()::text AS snapshot,
    pg_snapshot_xmax(pg_current_snapshot())::text AS xmax,
    CASE WHEN pg_is_in_recovery() THEN '' ELSE (SELECT system_identifier FROM pg_control_system()) || ' ' ||
      left(pg_walfile_name(pg_current_wal_lsn()), 8) END AS server,
    (SELECT value FROM grants_read.generation_v1) AS generation, ending.*
  FROM (SELECT 1) AS always LEFT JOIN LATERAL (
    SELECT xid::text, ${COLUMNS} FROM (
      (${BEGUN_LATER} ORDER BY xid LIMIT $2) UNION ALL (${RAN_THEN} ORDER BY xid LIMIT $2)
    ) AS missed LIMIT $2
  ) AS ending ON true`

export function pollSince(snapshot: string | null, rows: number): Statement {
  return { name: 'revocation.poll', text: POLL, values: [snapshot, rows] }
}

/** The numbers of the look-ups that a committed ending ends, by primary keys and the index on (kind, id). */
export async function endedAmong(
  database: Queryable,
  lookUps: readonly LookUp[],
): Promise<ReadonlySet<number>> {
  const keys = lookUps.flatMap(({ names, numbers }, number) =>
    names.split(SEPARATOR).map((name, n) => ({ number, name, epoch: numbers[3 * n + 2] ?? NO_EPOCH })),
  )
  const { rows } = await database.query<{ in_recovery: boolean; generation: number; ended: number[] }>({
    name: 'revocation.any_ended',
    text: `SELECT pg_is_in_recovery() AS in_recovery, (SELECT value FROM grants_read.generation_v1) AS generation,
             ARRAY(SELECT DISTINCT key.number
               FROM unnest($1::int[], $2::text[], $3::text[], $4::bigint[]) AS key (number, kind, id, epoch)
              WHERE EXISTS (SELECT FROM grants_read.revocation_v1 r
                             WHERE r.kind = key.kind AND r.id = key.id AND key.epoch < r.value)
                 OR (key.kind = 'u' AND NOT EXISTS (SELECT FROM directory_read.account_claims_v1 a
                             WHERE a.user_id = key.id AND a.token_epoch <= key.epoch))
                 OR (key.kind = 'c' AND NOT EXISTS (SELECT FROM directory_read.client_v1 c
                             WHERE c.client_id = key.id AND c.token_epoch <= key.epoch))
                 OR (key.kind = 'o' AND NOT EXISTS (SELECT FROM directory_read.organization_v1 o
                             WHERE o.organization_id = key.id AND o.token_epoch <= key.epoch))) AS ended`,
    values: [
      keys.map(({ number }) => number),
      keys.map(({ name }) => name.charAt(0)),
      keys.map(({ name }) => name.slice(1)),
      keys.map(({ epoch }) => epoch),
    ],
  })
  const [row] = rows
  if (row === undefined || row.in_recovery) throw new Error('PostgreSQL is in recovery: it is a standby')
  const ended = new Set(row.ended)
  for (const [number, lookUp] of lookUps.entries()) {
    if (lookUp.generation < row.generation) ended.add(number)
  }
  return ended
}
