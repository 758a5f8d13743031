import { ADVISORY_LOCKS } from '@signet/platform/postgres/advisory-locks'
import type { Database, Queryable } from '@signet/platform/postgres/pool'
import type { Ending, EndingKind } from '@signet/revocation-reader/endings'
import { endWeekOf, monthOf } from '../partitions/partition-plan.ts'
import { findWeeks } from '../partitions/week-index.ts'
import { endExchangedOfWeek, endGrantsOfSessions } from './end-grants.ts'

/** Endings that the log has and PostgreSQL may lack. */
export class LostEndingStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Returns the endings that PostgreSQL lacks, or has with a lower value. */
  lacking(endings: readonly Ending[]): Promise<readonly Ending[]> {
    return lacking(this.#database, endings)
  }

  /**
   * Records those that are still lacking, and ends the sessions and refresh families that they end, in one transaction.
   * Returns how many it recorded: of two replicas that do it at once only one counts an ending.
   */
  recover(endings: readonly Ending[], now: Date): Promise<number> {
    const work = async (tx: Queryable) => {
      await tx.query({
        name: 'lost_ending.lock',
        text: 'SELECT pg_advisory_xact_lock($1)',
        values: [ADVISORY_LOCKS.recoverEndings],
      })
      const lost = await lacking(tx, endings)
      if (lost.length === 0) return 0
      await record(tx, lost)
      await endFamilies(tx, lost, now)
      await recordEndedSessions(tx, idsOf(lost, 's'), now)
      return lost.length
    }
    return this.#database.transaction(work, { kind: 'background' })
  }
}

async function lacking(from: Queryable, endings: readonly Ending[]): Promise<readonly Ending[]> {
  if (endings.length === 0) return []
  const { rows } = await from.query<{ position: number }>({
    name: 'lost_ending.lacking', // the index of grants.revocation on kind and id, the primary key of grants.revoked_key
    text: `SELECT position
             FROM unnest($1::text[], $2::text[], $3::bigint[]) WITH ORDINALITY AS known (kind, id, value, position)
            WHERE NOT EXISTS (SELECT FROM grants_read.revocation_v1 r
                               WHERE r.kind = known.kind AND r.id = known.id AND r.value >= known.value)`,
    values: columnsOf(endings),
  })
  return rows.flatMap(({ position }) => endings[position - 1] ?? [])
}

async function record(tx: Queryable, endings: readonly Ending[]): Promise<void> {
  await tx.query({
    name: 'lost_ending.record_keys', // primary key
    text: 'INSERT INTO grants.revoked_key (kid) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING',
    values: [idsOf(endings, 'k')],
  })
  const others = endings.filter(({ kind }) => kind !== 'k')
  await tx.query({
    name: 'lost_ending.record', // primary key
    text: `INSERT INTO grants.revocation AS r (day, kind, id, value, until)
           SELECT floor(extract(epoch FROM until) / 86400)::integer, kind, id, value, until
             FROM (SELECT kind, id, max(value) AS value, max(clock_timestamp() + make_interval(secs => left_)) AS until
                     FROM unnest($1::text[], $2::text[], $3::bigint[], $4::float8[]) AS lost (kind, id, value, left_)
                    GROUP BY kind, id ORDER BY kind, id) AS lost
               ON CONFLICT (day, kind, id)
               DO UPDATE SET value = greatest(r.value, excluded.value), until = greatest(r.until, excluded.until),
                             xid = pg_current_xact_id()`,
    values: [...columnsOf(others), others.map(({ secondsLeft }) => secondsLeft)],
  })
}

/** Ends refresh families that ended themselves, with their session, or with what they were exchanged for. */
async function endFamilies(tx: Queryable, endings: readonly Ending[], now: Date): Promise<void> {
  const grantIds = idsOf(endings, 'g')
  await tx.query({
    name: 'lost_ending.end_grants', // primary key
    text: `UPDATE grants.authorization_grant g SET ended_at = clock_timestamp(), end_reason = 'ending_recovered'
             FROM unnest($1::integer[], $2::text[]) AS ended (end_week, grant_id)
            WHERE g.end_week = ended.end_week AND g.grant_id = ended.grant_id AND g.ended_at IS NULL`,
    values: [grantIds.map((id) => endWeekOf(id) ?? 0), grantIds],
  })
  for (const kind of ['t', 'p', 'g', 's'] as const) {
    const ids = idsOf(endings, kind)
    if (ids.length === 0) continue
    const weeks = await findWeeks(tx, kind, ids, now)
    for (const week of weeks.grant_origin) await tx.query(endExchangedOfWeek(week, kind, ids))
    if (kind !== 's') continue
    for (const week of weeks.authorization_grant) await tx.query(endGrantsOfSessions(week, ids))
  }
}

/** Records ended sessions for the login service, whose sessions live longer than the rows of `grants.revocation`. */
async function recordEndedSessions(tx: Queryable, sids: readonly string[], now: Date): Promise<void> {
  await tx.query({
    name: 'lost_ending.record_sessions', // primary key
    text: `INSERT INTO grants.ended_session (month, sid) SELECT $2, unnest($1::text[]) ON CONFLICT DO NOTHING`,
    values: [sids, monthOf(now)],
  })
}

function idsOf(endings: readonly Ending[], kind: EndingKind): readonly string[] {
  return endings.filter((ending) => ending.kind === kind).map(({ id }) => id)
}

function columnsOf(endings: readonly Ending[]): readonly unknown[] {
  return [endings.map(({ kind }) => kind), endings.map(({ id }) => id), endings.map(({ value }) => value)]
}

/**
 * The generation of the database: 0, and after a restore from a backup a higher number (`signet-migrate
 * restored`). Tokens of a lower one are revoked.
 */
export interface Generation {
  current(): number
  /** Reads it again. Rejects when the database is away; `current` then keeps its value. */
  refresh(): Promise<void>
}

/** Reads the generation. Rejects when the database is away. */
export async function openGeneration(database: Queryable): Promise<Generation> {
  let value = await readGeneration(database)
  return {
    current: () => value,
    async refresh() {
      value = await readGeneration(database)
    },
  }
}

async function readGeneration(database: Queryable): Promise<number> {
  const { rows } = await database.query<{ value: number }>({
    name: 'generation.read', // one row
    text: 'SELECT value FROM grants.generation',
  })
  if (rows[0] === undefined) throw new Error('grants.generation has no row')
  return rows[0].value
}
