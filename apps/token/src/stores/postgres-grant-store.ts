import type { AuditEvent } from '@signet/admin-api/audit/audit-trail'
import type { Database } from '@signet/platform/postgres/pool'
import { endWeekOf } from '../grants/grant-id.ts'
import { trail } from './audit-trail.ts'
import { lockOrigins, recordOrigins } from './grant-origins.ts'
import { type GrantRow, grantOf } from './grant-row.ts'
import type {
  ApplicationGrant,
  FoundGrant,
  GrantStore,
  NewGrant,
  RedeemResult,
  Redemption,
  RotateResult,
  Rotation,
} from './grant-store.ts'
import { type JointRotate, jointRotations } from './joint-rotations.ts'
import {
  AFTER_NEW_GRANT,
  insertValues,
  MAY_BEGIN,
  NEW_GRANT,
  NEW_GRANT_COLUMNS,
  PROJECTS_LET_IN,
} from './new-grant-row.ts'
import { lostRotationStatement } from './rotation-statements.ts'
import { recordSessionClient } from './session-clients.ts'
import { lockSessionShared } from './session-lock.ts'
import { findWeeks } from './week-index.ts'

export class PostgresGrantStore implements GrantStore {
  readonly #database: Database
  readonly #rotate: JointRotate

  constructor(database: Database) {
    this.#database = database
    this.#rotate = jointRotations(database)
  }

  async redeem(
    redemption: Redemption,
    grant: NewGrant,
    events: readonly AuditEvent[] = [],
  ): Promise<RedeemResult> {
    return this.#database.transaction(async (tx) => {
      if (grant.sid !== undefined) await lockSessionShared(tx, grant.sid)
      const { rowCount } = await tx.query({
        // primary keys of the views and of code_redemption; revocation_by_id
        name: 'code_redemption.insert',
        text: `WITH g AS (${NEW_GRANT}), redeemed AS (
                 INSERT INTO grants.code_redemption (day, code_id, grant_id)
                 SELECT $${AFTER_NEW_GRANT}::integer, $${AFTER_NEW_GRANT + 1}::text, g.grant_id
                   FROM g, directory_read.account_life_v1 a, directory_read.client_life_v1 c
                  WHERE ${MAY_BEGIN} AND ${PROJECTS_LET_IN(`$${AFTER_NEW_GRANT + 2}`)}
                     ON CONFLICT DO NOTHING
                 RETURNING 1
               )
               INSERT INTO grants.authorization_grant (${NEW_GRANT_COLUMNS}) SELECT g.* FROM g, redeemed`,
        values: [...insertValues(grant), redemption.day, redemption.codeId, redemption.audience],
      })
      if (rowCount === 1) {
        await recordSessionClient(tx, grant)
        await trail.record(tx, ...events)
        return { outcome: 'redeemed' }
      }
      const { rows } = await tx.query<{ grant_id: string }>({
        name: `code_redemption.find_${redemption.day}`, // primary key
        text: `SELECT grant_id FROM grants.code_redemption WHERE day = ${redemption.day} AND code_id = $1`,
        values: [redemption.codeId],
      })
      return rows[0] ? { outcome: 'replayed', grantId: rows[0].grant_id } : { outcome: 'ended' }
    })
  }

  async begin(grant: NewGrant, events: readonly AuditEvent[] = []): Promise<'begun' | 'ended'> {
    const beginning = this.#database.transaction(async (tx) => {
      await lockOrigins(tx, grant)
      const { rowCount } = await tx.query({
        // primary keys of both views; revocation_by_id
        name: 'authorization_grant.begin',
        text: `WITH g AS (${NEW_GRANT})
               INSERT INTO grants.authorization_grant (${NEW_GRANT_COLUMNS})
               SELECT g.* FROM g, directory_read.account_life_v1 a, directory_read.client_life_v1 c WHERE ${MAY_BEGIN}`,
        values: insertValues(grant),
      })
      if (rowCount !== 1 || !(await recordOrigins(tx, grant))) throw new EndedMeanwhile()
      await recordSessionClient(tx, grant)
      await trail.record(tx, ...events)
    })
    try {
      await beginning
      return 'begun'
    } catch (error) {
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
    const moved = await this.#rotate(endWeek, rotation, idleMs)
    if (moved !== undefined) return { outcome: 'rotated', grant: grantOf(moved), counter: moved.counter }
    const { rows } = await this.#database.query<GrantRow & { in_window: boolean }>(
      lostRotationStatement(endWeek, rotation, retryMs),
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
                     audience, refresh_kid IS NOT NULL AS "hasRefresh", absolute_end AS "absoluteEnd"
               FROM grants.authorization_grant WHERE end_week = ${endWeek} AND grant_id = $1`,
      values: [grantId],
    })
    return rows[0]
  }

  async ofUser(userId: string, now: Date): Promise<readonly ApplicationGrant[]> {
    const weeks = (await findWeeks(this.#database, 'u', [userId], now)).authorization_grant
    if (weeks.length === 0) return []
    const { rows } = await this.#database.query<ApplicationGrant>({
      name: '', // authorization_grant_user; not named, because users have different weeks
      text: `SELECT client_id AS "clientId", array_agg(DISTINCT scope ORDER BY scope) AS scopes
               FROM grants.authorization_grant, unnest(scopes) AS scope
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
