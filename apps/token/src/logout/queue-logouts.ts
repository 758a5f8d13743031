import type { Condition } from '@signet/admin-api/audit/audit-table'
import type { Queryable, Statement } from '@signet/platform/postgres/pool'
import type { DirectoryEnding } from '../ending-store.ts'
import { dayOf, weeksUntilLongestEnd } from '../partitions/partition-plan.ts'
import { findWeeks, WEEKS_ARE_KNOWN } from '../partitions/week-index.ts'

// The statement that queues also marks, so that a repeated end queues nothing. Rows are locked in one order,
// so that two ends of the same sessions cannot deadlock. Each statement names the partition of one week.
const ended = (week: number) => `, ended AS (
    UPDATE grants.session_client_${week} s SET ended_at = $2 FROM open
     WHERE s.sid = open.sid AND s.client_id = open.client_id AND s.end_week = open.end_week
    RETURNING s.sid, s.user_id, s.client_id)`
const DELIVERIES = `INSERT INTO grants.logout_delivery (day, sid, user_id, client_id, uri, signing_alg, due_at)
  SELECT DISTINCT ON (ended.sid, c.client_id)
         $1::integer, ended.sid, ended.user_id, c.client_id, c.back_channel_logout_uri, c.id_token_signing_alg,
         $2::timestamptz
    FROM ended JOIN directory_read.client_logout_v1 c ON c.client_id = ended.client_id
   WHERE c.back_channel_logout_uri IS NOT NULL`
const queue = (week: number) => `${ended(week)} ${DELIVERIES} AND c.active`

const queueSessions = (
  { week, sids, now }: { readonly week: number; readonly sids: readonly string[]; readonly now: Date },
  onlyIf?: Condition,
): Statement => ({
  // session_client's primary key, and by IS TRUE no other index; the key of the view
  name: `logout_delivery.queue_${onlyIf === undefined ? 'impersonations' : 'sessions'}_${week}`,
  text: `WITH open AS (
           SELECT sid, client_id, end_week FROM grants.session_client_${week}
            WHERE sid = ANY ($3) AND (ended_at IS NULL) IS TRUE${onlyIf === undefined ? '' : ` AND ${onlyIf.sql(4)}`}
            ORDER BY sid, client_id, end_week FOR UPDATE)
         ${queue(week)}`,
  values: [dayOf(now), now, sids],
})

/**
 * The statement that queues the end of sessions for every application that took part in them until that week, in the transaction that ends
 * them, behind `compareWeeks`.
 */
export const queueLogoutsOfSessions = (week: number, sids: readonly string[], now: Date): Statement =>
  queueSessions({ week, sids, now }, WEEKS_ARE_KNOWN)

/** Queues the end of the sessions of impersonations, in the transaction that ends these. */
export async function queueLogoutsOfImpersonations(
  tx: Queryable,
  sids: readonly string[],
  now: Date,
): Promise<void> {
  for (const week of (await findWeeks(tx, 's', sids, now)).session_client)
    await tx.query(queueSessions({ week, sids, now }))
}

/** Queues the end of every session of users that was made under a lower epoch than the one published. */
export async function queueLogoutsOfUsers(
  tx: Queryable,
  users: readonly { readonly id: string; readonly epoch: number }[],
  now: Date,
): Promise<void> {
  const ids = users.map(({ id }) => id)
  for (const week of (await findWeeks(tx, 'u', ids, now)).session_client) {
    await tx.query({
      name: `logout_delivery.queue_users_${week}`, // session_client_user, primary key; the key of the view
      text: `WITH open AS (
               SELECT s.sid, s.client_id, s.end_week
                 FROM unnest($3::text[], $4::bigint[]) AS published (user_id, epoch)
                 JOIN grants.session_client_${week} s
                   ON s.user_id = published.user_id AND s.user_epoch < published.epoch
                WHERE s.ended_at IS NULL
                ORDER BY s.sid, s.client_id, s.end_week FOR UPDATE OF s)
             ${queue(week)}`,
      values: [dayOf(now), now, ids, users.map(({ epoch }) => epoch)],
    })
  }
}

/** The columns of `session_client` with the epochs of applications and organizations under which a session was made. */
const EPOCH_COLUMNS = [
  { kind: 'c', id: 'client_id', epoch: 'client_epoch' },
  { kind: 'o', id: 'user_organization_id', epoch: 'user_organization_epoch' },
  { kind: 'o', id: 'client_organization_id', epoch: 'client_organization_epoch' },
] as const

const BATCH = 100

/**
 * Queues the end of every session that was made under a lower epoch of an application or an organization, also for
 * applications that are inactive by it: users who are still signed in there are to be signed out. In parts, each
 * committed by itself, since there may be very many.
 */
export async function queueLogoutsOfClientsAndOrganizations(
  database: Queryable,
  epochs: readonly DirectoryEnding[],
  now: Date,
): Promise<void> {
  for (const columns of EPOCH_COLUMNS) {
    const risen = epochs.filter(({ kind }) => kind === columns.kind)
    if (risen.length === 0) continue
    for (const week of weeksUntilLongestEnd(now)) {
      while ((await queueBatch(database, week, columns, risen, now)) === BATCH);
    }
  }
}

/** Queues at most BATCH ends of sessions of one week; returns how many. */
async function queueBatch(
  database: Queryable,
  week: number,
  { id, epoch }: (typeof EPOCH_COLUMNS)[number],
  risen: readonly DirectoryEnding[],
  now: Date,
): Promise<number> {
  const { rows } = await database.query<{ ended: number }>({
    // session_client_<id>, primary key; the key of the view. Not named: 59 weeks of it would stay prepared.
    name: '',
    text: `WITH open AS (
             SELECT s.sid, s.client_id, s.end_week
               FROM unnest($3::text[], $4::bigint[]) AS published (id, epoch)
               JOIN grants.session_client_${week} s ON s.${id} = published.id AND s.${epoch} < published.epoch
              WHERE s.ended_at IS NULL
              ORDER BY s.sid, s.client_id, s.end_week LIMIT ${BATCH} FOR UPDATE OF s)
           ${ended(week)}, queued AS (${DELIVERIES})
           SELECT count(*) AS ended FROM ended`,
    values: [
      dayOf(now),
      now,
      risen.map((published) => published.id),
      risen.map((published) => published.epoch),
    ],
  })
  return Number(rows[0]?.ended ?? 0)
}
