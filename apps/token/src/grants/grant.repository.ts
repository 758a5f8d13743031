import type { AuditEvent, Condition } from '@signet/admin-api/audit/audit-table'
import type { Database, Queryable, Statement } from '@signet/platform/postgres/pool'
import { listRevocationKeys } from '@signet/revocation-reader/endings'
import { auditTable } from '../audit-events.ts'
import type {
  Access,
  ApplicationGrant,
  FoundGrant,
  GrantStore,
  NewGrant,
  RedeemResult,
  Redemption,
  RotateResult,
  Rotation,
} from '../grant-store.ts'
import { endWeekOf, weekOf } from '../partitions/partition-plan.ts'
import { findWeeks, recordWeeks } from '../partitions/week-index.ts'
import { holdAccesses, wasAccessEnded } from '../revocation/ended-access.repository.ts'
import { lockSessionShared } from '../revocation/session-lock.ts'
import {
  AFTER_NEW_GRANT,
  GRANT_NOT_ENDED_SQL,
  type GrantRow,
  grantOf,
  insertValues,
  NEW_GRANT,
  NEW_GRANT_COLUMNS,
  ORIGINS_NOT_ENDED_SQL,
  originsNotEndedSql,
  originsOf,
  projectsAdmitUserSql,
} from './grant-row.ts'
import { createRotateFamily, type RotateFamily, retryOrReuseStatement } from './refresh-rotation.ts'

export class PostgresGrantStore implements GrantStore {
  readonly #database: Database
  readonly #rotateFamily: RotateFamily

  constructor(database: Database) {
    this.#database = database
    this.#rotateFamily = createRotateFamily(database)
  }

  async redeem(
    redemption: Redemption,
    grant: NewGrant,
    events: readonly AuditEvent[] = [],
  ): Promise<RedeemResult> {
    const { day, codeId, audience } = redemption
    // No other redemption makes this grant, so it exists when this one was the first for its code.
    const redeemed: Condition = {
      name: `redeemed_${day}`,
      sql: (first) => `EXISTS (SELECT FROM grants.code_redemption
                                WHERE day = ${day} AND code_id = $${first} AND grant_id = $${first + 1})`,
      values: [codeId, grant.grantId],
    }
    const origins = originsOf(grant)
    const insert = {
      // primary keys of the views and of code_redemption; revocation_by_id
      name: origins === undefined ? 'code_redemption.insert' : 'code_redemption.insert_impersonated',
      text: `WITH g AS (${NEW_GRANT}), redeemed AS (
               INSERT INTO grants.code_redemption (day, code_id, grant_id)
               SELECT $${AFTER_NEW_GRANT}::integer, $${AFTER_NEW_GRANT + 1}::text, g.grant_id
                 FROM g, directory_read.account_life_v1 a, directory_read.client_life_v1 c
                WHERE ${GRANT_NOT_ENDED_SQL} AND ${projectsAdmitUserSql(`$${AFTER_NEW_GRANT + 2}`)}
                      ${origins === undefined ? '' : `AND ${originsNotEndedSql(AFTER_NEW_GRANT + 3)}`}
                   ON CONFLICT DO NOTHING
               RETURNING 1
             )
             INSERT INTO grants.authorization_grant (${NEW_GRANT_COLUMNS}) SELECT g.* FROM g, redeemed`,
      values: [...insertValues(grant), day, codeId, audience, ...(origins ?? [])],
    }
    const find = {
      name: `code_redemption.find_${day}`, // primary key
      text: `SELECT grant_id AS "grantId" FROM grants.code_redemption WHERE day = ${day} AND code_id = $1`,
      values: [codeId],
    }
    const results = await this.#database.transaction((tx) =>
      tx.commit(
        ...heldIds(grant).map((id) => lockSessionShared(id)),
        insert,
        ...recordSessionClient(grant, redeemed),
        ...auditTable.statements(events, redeemed),
        find,
      ),
    )
    const grantId = results.at(-1)?.rows[0]?.grantId
    if (typeof grantId !== 'string') return { outcome: 'ended' }
    return grantId === grant.grantId ? { outcome: 'redeemed' } : { outcome: 'replayed', grantId }
  }

  async begin(
    grant: NewGrant,
    events: readonly AuditEvent[] = [],
    accesses: readonly Access[] = [],
  ): Promise<'begun' | 'ended' | 'ended_by_person'> {
    const beginning = this.#database.transaction(async (tx) => {
      for (const hold of holdAccesses(accesses)) await tx.query(hold)
      for (const access of accesses) if (await wasAccessEnded(tx, access)) throw new EndedByPerson()
      await lockOrigins(tx, grant)
      const { rowCount } = await tx.query({
        // primary keys of both views; revocation_by_id
        name: 'authorization_grant.begin',
        text: `WITH g AS (${NEW_GRANT})
               INSERT INTO grants.authorization_grant (${NEW_GRANT_COLUMNS})
               SELECT g.* FROM g, directory_read.account_life_v1 a, directory_read.client_life_v1 c WHERE ${GRANT_NOT_ENDED_SQL}`,
        values: insertValues(grant),
      })
      if (rowCount !== 1 || !(await recordOrigins(tx, grant))) throw new EndedMeanwhile()
      await tx.commit(...recordSessionClient(grant), ...auditTable.statements(events))
    })
    try {
      await beginning
      return 'begun'
    } catch (error) {
      if (error instanceof EndedByPerson) return 'ended_by_person'
      if (error instanceof EndedMeanwhile) return 'ended'
      throw error
    }
  }

  async rotate(
    rotation: Rotation,
    { idleMs, retryMs }: { idleMs: number; retryMs: number },
  ): Promise<RotateResult> {
    const endWeek = endWeekOf(rotation.grantId)
    if (endWeek === undefined) return { outcome: 'refused' }
    const rotated = await this.#rotateFamily(endWeek, rotation, idleMs)
    if (rotated !== undefined)
      return { outcome: 'rotated', grant: grantOf(rotated), counter: rotated.counter }
    const { rows } = await this.#database.query<GrantRow & { in_window: boolean }>(
      retryOrReuseStatement(endWeek, rotation, retryMs),
    )
    const row = rows[0]
    if (row === undefined) return { outcome: 'refused' }
    return row.in_window
      ? { outcome: 'repeated', grant: grantOf(row), counter: row.counter }
      : {
          outcome: 'reused',
          grantId: row.grant_id,
          userId: row.user_id,
          organizationId: row.user_organization_id,
        }
  }

  async find(grantId: string): Promise<FoundGrant | undefined> {
    const endWeek = endWeekOf(grantId)
    if (endWeek === undefined) return undefined
    const { rows } = await this.#database.query<FoundGrant>({
      name: `authorization_grant.find_${endWeek}`, // primary key
      text: `SELECT client_id AS "clientId", user_id AS "userId", user_organization_id AS "organizationId", scopes,
                     audience, authorization_details AS details, refresh_kid IS NOT NULL AS "hasRefresh", bound_to AS "boundTo", absolute_end AS "absoluteEnd"
               FROM grants.authorization_grant WHERE end_week = ${endWeek} AND grant_id = $1`,
      values: [grantId],
    })
    return rows[0]
  }

  async isHeld(
    { sid, userId, clientId }: { readonly sid: string; readonly userId: string; readonly clientId: string },
    now: Date,
  ): Promise<boolean> {
    const weeks = (await findWeeks(this.#database, 's', [sid], now)).authorization_grant
    if (weeks.length === 0) return false
    const { rows } = await this.#database.query({
      name: '', // authorization_grant_sid; not named, because sessions have different weeks
      text: `SELECT FROM grants.authorization_grant
              WHERE end_week IN (${weeks}) AND sid = $1 AND user_id = $2 AND client_id = $3 AND ended_at IS NULL LIMIT 1`,
      values: [sid, userId, clientId],
    })
    return rows.length > 0
  }

  async ofUser(userId: string, now: Date): Promise<readonly ApplicationGrant[]> {
    const weeks = (await findWeeks(this.#database, 'u', [userId], now)).authorization_grant
    if (weeks.length === 0) return []
    const { rows } = await this.#database.query<ApplicationGrant>({
      name: '', // authorization_grant_user; not named, because users have different weeks
      // A grant may have no scope: its tokens name the person alone.
      text: `SELECT client_id AS "clientId",
                    coalesce(array_agg(DISTINCT scope ORDER BY scope) FILTER (WHERE scope IS NOT NULL), '{}') AS scopes,
                    bool_or(sid IS NULL AND origins = '[]') AS "byAssertion"
               FROM grants.authorization_grant LEFT JOIN unnest(scopes) AS scope ON true
              WHERE end_week IN (${weeks}) AND user_id = $1 AND ended_at IS NULL AND idle_end > clock_timestamp()
                AND generation >= (SELECT value FROM grants.generation)
              GROUP BY client_id ORDER BY client_id`,
      values: [userId],
    })
    return rows
  }
}

/** Takes a transaction back. */
class EndedMeanwhile extends Error {}

/** Takes a transaction back: the person ended the access of the application. */
class EndedByPerson extends Error {}

/**
 * Locks the sessions, the tokens and the grants that a new grant rests on, so that a revocation of one of
 * them waits and then sees the new grant. All transactions lock in one order, against deadlocks.
 */
async function lockOrigins(tx: Queryable, grant: NewGrant): Promise<void> {
  const origins = grant.exchange?.origins ?? []
  await Promise.all(heldIds(grant).map((id) => tx.query(lockSessionShared(id))))
  const grantIds = [...new Set(origins.flatMap(({ grantId }) => grantId ?? []))].sort()
  for (const grantId of grantIds) {
    const endWeek = endWeekOf(grantId) ?? 0
    await tx.query({
      name: `authorization_grant.hold_${endWeek}`, // primary key
      text: `SELECT 1 FROM grants.authorization_grant WHERE end_week = ${endWeek} AND grant_id = $1 FOR SHARE`,
      values: [grantId],
    })
  }
}

/** The sessions and tokens that a grant rests on, in the order of their locks. */
function heldIds({ sid, exchange }: NewGrant): readonly string[] {
  const origins = exchange?.origins ?? []
  const held = [sid, ...origins.flatMap((origin) => [origin.sid, origin.tokenId, origin.personalTokenId])]
  return [...new Set(held.filter((id) => id !== undefined))].sort()
}

/** Writes what an exchanged grant rests on; false when one of it has ended, and then the transaction must not commit. */
async function recordOrigins(tx: Queryable, grant: NewGrant): Promise<boolean> {
  if (grant.exchange === undefined) return true
  const keys = grant.exchange.origins
    .flatMap((origin) => listRevocationKeys(origin))
    .filter(({ kind }) => kind !== 'k')
  await tx.query({
    // primary keys; of two epochs of one id the lower one ends first
    name: 'grant_origin.insert',
    text: `WITH weeks AS (${recordWeeks(`
             SELECT kind, id, 'grant_origin', $1::integer FROM unnest($3::text[], $4::text[]) AS key (kind, id)
              WHERE kind IN ('s', 'g', 't', 'p')
             UNION SELECT 'u', $6::text, 'authorization_grant', $1::integer`)})
           INSERT INTO grants.grant_origin (end_week, grant_id, kind, id, epoch)
           SELECT $1::integer, $2::text, kind, id, min(epoch)
             FROM unnest($3::text[], $4::text[], $5::bigint[]) AS key (kind, id, epoch) GROUP BY kind, id`,
    values: [
      endWeekOf(grant.grantId),
      grant.grantId,
      keys.map(({ kind }) => kind),
      keys.map(({ id }) => id),
      keys.map(({ epoch }) => epoch ?? null),
      grant.user.id,
    ],
  })
  const { rows } = await tx.query<{ alive: boolean }>({
    // grant_origin's primary key, revocation_by_id, authorization_grant's primary key, the keys of the views
    name: 'grant_origin.are_alive',
    text: `SELECT ${ORIGINS_NOT_ENDED_SQL} AND NOT EXISTS (
             SELECT 1 FROM grants.grant_origin o JOIN grants.revocation r ON r.kind = o.kind AND r.id = o.id
              WHERE o.end_week = g.end_week AND o.grant_id = g.grant_id AND o.kind IN ('g', 's', 't', 'p')) AS alive
             FROM grants.authorization_grant g WHERE g.end_week = $1 AND g.grant_id = $2`,
    values: [endWeekOf(grant.grantId), grant.grantId],
  })
  return rows[0]?.alive === true
}

/**
 * The statement that records that the application of a new grant takes part in its session, and the weeks of both, in the transaction that
 * makes the grant. An application that is back after an epoch has risen hears of the end again.
 */
function recordSessionClient(grant: NewGrant, condition?: Condition): readonly Statement[] {
  const { grantId, sid, sessionEnd, clientId, client, clientOrganization, user, userOrganization } = grant
  if (sid === undefined || sessionEnd === undefined) return []
  const onlyIf = condition === undefined ? '' : `WHERE ${condition.sql(12)}`
  const name = condition === undefined ? 'session_client.record' : `session_client.record_${condition.name}`
  return [
    {
      name, // primary keys; nothing is written for one that is known
      text: `WITH weeks AS (${recordWeeks(`SELECT * FROM (
                    VALUES ('s', $1::text, 'authorization_grant', $11::integer),
                    ('s', $1::text, 'session_client', $3::integer), ('u', $4::text, 'authorization_grant', $11::integer),
                    ('u', $4::text, 'session_client', $3::integer)) AS held ${onlyIf}`)})
           INSERT INTO grants.session_client AS s
             (sid, client_id, end_week, user_id, user_epoch, user_organization_id, user_organization_epoch,
              client_epoch, client_organization_id, client_organization_epoch)
           SELECT $1, $2, $3::integer, $4, $5::bigint, $6, $7::bigint, $8::bigint, $9, $10::bigint ${onlyIf}
               ON CONFLICT (sid, client_id, end_week)
               DO UPDATE SET user_epoch = excluded.user_epoch,
                             user_organization_id = excluded.user_organization_id,
                             user_organization_epoch = excluded.user_organization_epoch,
                             client_epoch = excluded.client_epoch,
                             client_organization_id = excluded.client_organization_id,
                             client_organization_epoch = excluded.client_organization_epoch,
                             ended_at = NULL
            WHERE s.ended_at IS NOT NULL OR s.client_epoch IS NULL OR s.user_epoch < excluded.user_epoch
               OR s.user_organization_epoch < excluded.user_organization_epoch
               OR s.client_epoch < excluded.client_epoch
               OR s.client_organization_epoch < excluded.client_organization_epoch`,
      values: [
        sid,
        clientId,
        weekOf(sessionEnd),
        user.id,
        user.epoch,
        userOrganization.id,
        userOrganization.epoch,
        client.epoch,
        clientOrganization.id,
        clientOrganization.epoch,
        endWeekOf(grantId),
        ...(condition?.values ?? []),
      ],
    },
  ]
}
