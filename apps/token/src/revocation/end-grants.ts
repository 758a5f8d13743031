import type { Condition } from '@signet/admin-api/audit/audit-table'
import type { Queryable, Statement } from '@signet/platform/postgres/pool'
import { ENDING_SECONDS } from '@signet/revocation-reader/endings'
import { endWeekOf } from '../partitions/partition-plan.ts'

/** The statement that ends one grant unless it has ended, or the condition is false. */
export const endOneGrant = (
  { grantId, reason }: { readonly grantId: string; readonly reason: string },
  onlyIf?: Condition,
): Statement => {
  const endWeek = endWeekOf(grantId) ?? 0
  return {
    name: named(`authorization_grant.end_${endWeek}`, onlyIf), // primary key
    text: `UPDATE grants.authorization_grant SET ended_at = clock_timestamp(), end_reason = $2
            WHERE end_week = ${endWeek} AND grant_id = $1 AND ended_at IS NULL${and(onlyIf, 3)}`,
    values: [grantId, reason, ...(onlyIf?.values ?? [])],
  }
}

// Each statement names the partition of its week, so that it locks one and the planner cannot take the primary key,
// which begins with the week: no figures of a new partition say that all its rows have the same.

/** The statement that ends the grants of sessions; applications may keep their refresh tokens beyond the session. */
export const endGrantsOfSessions = (
  week: number,
  sids: readonly string[],
  onlyIf?: Condition,
): Statement => ({
  name: named(`authorization_grant.end_of_sessions_${week}`, onlyIf), // authorization_grant_sid
  text: `UPDATE grants.authorization_grant_${week} g SET ended_at = clock_timestamp(), end_reason = 'session_ended'
          WHERE g.sid = ANY ($1) AND g.ended_at IS NULL${and(onlyIf, 2)}
            AND NOT (g.refresh_kid IS NOT NULL AND EXISTS (SELECT 1 FROM directory_read.client_logout_v1 c
                      WHERE c.client_id = g.client_id AND c.refresh_tokens_survive_logout))`,
  values: [sids],
})

/** The statement that ends the refresh families that a token exchange began with what has ended; their access tokens carry it themselves. */
export const endExchangedOfWeek = (
  week: number,
  kind: 'g' | 's' | 't' | 'p',
  ids: readonly string[],
  onlyIf?: Condition,
): Statement => ({
  // grant_origin_by_id, primary key, twice; in one order, because what was exchanged may end with two things at once
  name: named(`authorization_grant.end_exchanged_${week}`, onlyIf),
  text: `WITH open AS (
           SELECT g.end_week, g.grant_id FROM grants.authorization_grant_${week} g
             JOIN grants.grant_origin_${week} o ON g.end_week = o.end_week AND g.grant_id = o.grant_id
            WHERE o.kind = $1 AND o.id = ANY ($2) AND g.ended_at IS NULL${and(onlyIf, 3)}
            ORDER BY g.grant_id FOR UPDATE OF g)
         UPDATE grants.authorization_grant_${week} g SET ended_at = clock_timestamp(),
                end_reason = 'exchanged_token_ended'
           FROM open WHERE g.end_week = open.end_week AND g.grant_id = open.grant_id`,
  values: [kind, ids],
})

/**
 * Ends the grants that a user gave an application. Returns their ids with those of grants that ended before, for as long
 * as an access token of them may live: the call that ended them may not have reached the log.
 */
export async function endGrantsOfUser(
  tx: Queryable,
  week: number,
  { userId, clientId }: { readonly userId: string; readonly clientId: string },
): Promise<readonly string[]> {
  const { rows } = await tx.query<{ grantId: string }>({
    name: `authorization_grant.end_of_client_${week}`, // authorization_grant_user
    text: `WITH ended AS (
             UPDATE grants.authorization_grant_${week} SET ended_at = clock_timestamp(), end_reason = 'ended_by_user'
              WHERE user_id = $1 AND client_id = $2 AND ended_at IS NULL RETURNING grant_id)
           SELECT grant_id AS "grantId" FROM ended
            UNION ALL
           SELECT grant_id FROM grants.authorization_grant_${week}
            WHERE user_id = $1 AND client_id = $2 AND ended_at > clock_timestamp() - make_interval(secs => $3)`,
    values: [userId, clientId, ENDING_SECONDS],
  })
  return rows.map(({ grantId }) => grantId)
}

const named = (name: string, onlyIf: Condition | undefined): string =>
  onlyIf === undefined ? name : `${name}_${onlyIf.name}`

const and = (onlyIf: Condition | undefined, first: number): string =>
  onlyIf === undefined ? '' : ` AND ${onlyIf.sql(first)}`
