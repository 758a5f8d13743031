import type { AuditEvent } from '@signet/audit-trail/audit-event'
import type { Database, Queryable } from '@signet/postgres/pool'
import { type EndedBy, signOutEvent } from '../audit/session-events.ts'
import { endWeekOf } from '../grants/grant-id.ts'
import { monthOf } from '../partitions/partition-plan.ts'
import type { PublishedEpoch } from '../revocation/published-epoch.ts'
import { trail } from './audit-trail.ts'
import { endExchangedOfWeek, endGrantsOfSessions, endGrantsOfUser } from './end-grants-of-week.ts'
import type { EndedSession, EndingStore } from './ending-store.ts'
import {
  queueLogoutsOfClientsAndOrganizations,
  queueLogoutsOfSessions,
  queueLogoutsOfUsers,
} from './queue-logouts.ts'
import type { RecordedRevocation, Revocation, RevocationStore } from './revocation-store.ts'
import { lockSessions } from './session-lock.ts'
import { findWeeks } from './week-index.ts'

export class PostgresEndingStore implements EndingStore {
  readonly #database: Database
  readonly #revocations: RevocationStore

  constructor(database: Database, revocations: RevocationStore) {
    this.#database = database
    this.#revocations = revocations
  }

  async endGrant(
    { grantId, userId }: { readonly grantId: string; readonly userId: string },
    { reason, event }: { readonly reason: string; readonly event: AuditEvent },
    now: Date,
  ): Promise<readonly RecordedRevocation[]> {
    const endWeek = endWeekOf(grantId) ?? 0
    return this.#database.transaction(async (tx) => {
      await tx.query({
        name: `authorization_grant.end_${endWeek}`, // primary key
        text: `UPDATE grants.authorization_grant SET ended_at = clock_timestamp(), end_reason = $2
                WHERE end_week = ${endWeek} AND grant_id = $1 AND ended_at IS NULL`,
        values: [grantId, reason],
      })
      await endExchanged(tx, 'g', [grantId], now)
      await trail.record(tx, event)
      return this.#revocations.record(tx, [{ kind: 'g', id: grantId, value: 1, subject: userId }], now)
    })
  }

  async endGrantsOfClient(
    { userId, clientId }: { readonly userId: string; readonly clientId: string },
    event: AuditEvent,
    now: Date,
  ): Promise<readonly RecordedRevocation[]> {
    return this.#database.transaction(async (tx) => {
      const grantIds: string[] = []
      for (const week of (await findWeeks(tx, 'u', [userId], now)).authorization_grant)
        grantIds.push(...(await endGrantsOfUser(tx, week, { userId, clientId })))
      if (grantIds.length > 0) await endExchanged(tx, 'g', grantIds, now)
      if (grantIds.length > 0) await trail.record(tx, event)
      const revocations = grantIds.map((id) => ({ kind: 'g', id, value: 1, subject: userId }) as const)
      return this.#revocations.record(tx, revocations, now)
    })
  }

  async endSessions(
    sessions: readonly EndedSession[],
    now: Date,
    by: EndedBy,
  ): Promise<readonly RecordedRevocation[]> {
    const sids = sessions.map(({ sid }) => sid)
    return this.#database.transaction(async (tx) => {
      await lockSessions(tx, sids)
      for (const ended of await recordEndedSessions(tx, sessions, now)) {
        await trail.record(tx, signOutEvent(ended, by))
      }
      const recorded = await this.#revocations.record(
        tx,
        sessions.map(({ sid, userId }) => ({ kind: 's', id: sid, value: 1, subject: userId })),
        now,
      )
      const weeks = await findWeeks(tx, 's', sids, now)
      for (const week of weeks.authorization_grant) await endGrantsOfSessions(tx, week, sids)
      for (const week of weeks.grant_origin) await endExchangedOfWeek(tx, week, 's', sids)
      for (const week of weeks.session_client) await queueLogoutsOfSessions(tx, week, sids, now)
      return recorded
    })
  }

  async endByEpochs(epochs: readonly PublishedEpoch[], now: Date): Promise<readonly RecordedRevocation[]> {
    const revocations = epochs.map((ended) => ({
      kind: ended.kind,
      id: ended.id,
      value: ended.epoch,
      // Only users and tokens have one subject; the others concern every shard.
      ...(ended.kind === 'u' && { subject: ended.id }),
      ...(ended.kind === 't' && { subject: ended.subject }),
    }))
    const tokenIds = epochs.flatMap(({ kind, id }) => (kind === 't' ? [id] : []))
    const users = epochs.filter(({ kind }) => kind === 'u')
    return this.#database.transaction(async (tx) => {
      await lockSessions(tx, tokenIds)
      const recorded = await this.#revocations.record(tx, revocations, now)
      if (tokenIds.length > 0) await endExchanged(tx, 't', tokenIds, now)
      if (users.length > 0) await queueLogoutsOfUsers(tx, users, now)
      return recorded
    })
  }

  queueLogouts(epochs: readonly PublishedEpoch[], now: Date): Promise<void> {
    return queueLogoutsOfClientsAndOrganizations(this.#database, epochs, now)
  }

  async record(
    revocations: readonly Revocation[],
    now: Date,
    event?: AuditEvent,
  ): Promise<readonly RecordedRevocation[]> {
    const tokenIds = revocations.flatMap(({ kind, id }) => (kind === 't' ? [id] : []))
    return this.#database.transaction(async (tx) => {
      // What is being exchanged for one of them waits, or has been exchanged and is seen here.
      await lockSessions(tx, tokenIds)
      if (event !== undefined) await trail.record(tx, event)
      const recorded = await this.#revocations.record(tx, revocations, now)
      if (tokenIds.length > 0) await endExchanged(tx, 't', tokenIds, now)
      return recorded
    })
  }
}

/** Records that sessions have ended; returns those that had not, as far as this month's records say. */
async function recordEndedSessions(tx: Queryable, sessions: readonly EndedSession[], now: Date) {
  const { rows } = await tx.query<{ sid: string; userId: string; organizationId: string | null }>({
    name: 'ended_session.insert', // primary key; the key of the view
    text: `WITH ended AS (
             INSERT INTO grants.ended_session (month, sid) SELECT $3, unnest($1::text[])
                 ON CONFLICT DO NOTHING RETURNING sid)
           SELECT s.sid, s.user_id AS "userId", a.organization_id AS "organizationId"
             FROM ended JOIN unnest($1::text[], $2::text[]) AS s (sid, user_id) ON s.sid = ended.sid
             LEFT JOIN directory_read.account_life_v1 a ON a.user_id = s.user_id`,
    values: [sessions.map(({ sid }) => sid), sessions.map(({ userId }) => userId), monthOf(now)],
  })
  return rows.map(({ organizationId, ...row }) => ({ ...row, organizationId: organizationId ?? undefined }))
}

async function endExchanged(
  tx: Queryable,
  kind: 'g' | 't',
  ids: readonly string[],
  now: Date,
): Promise<void> {
  for (const week of (await findWeeks(tx, kind, ids, now)).grant_origin)
    await endExchangedOfWeek(tx, week, kind, ids)
}
