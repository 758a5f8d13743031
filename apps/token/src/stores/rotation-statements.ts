import type { Statement } from '@signet/postgres/pool'
import { GRANT_COLUMNS, GRANT_IS_ALIVE, ORIGINS_ARE_ALIVE } from './grant-row.ts'
import type { Rotation } from './grant-store.ts'

// Either reads one row of one partition by its primary key, and nothing may be left to a planner that has no figures of
// a new partition. So the week stands in the text: with a parameter every partition is opened and locked. The clauses
// on ended_at and client_id are written so that no other index answers them, and OFFSET keeps the views from being
// joined with the grants before the grant is found.
const found = (endWeek: number): string => `g.end_week = ${endWeek} AND g.grant_id = $1 AND g.refresh_kid = $3
                AND (g.ended_at IS NULL) IS TRUE AND g.idle_end > clock_timestamp()
                AND EXISTS (SELECT FROM directory_read.account_life_v1 a, directory_read.client_life_v1 c
                             WHERE ${GRANT_IS_ALIVE} AND c.client_id = $2 OFFSET 0)
                AND ${ORIGINS_ARE_ALIVE}`

/** Moves the family on and returns its row, or no row when it is not at `counter` or may not go on. */
export function rotateStatement(endWeek: number, rotation: Rotation, idleMs: number): Statement {
  const { grantId, clientId, refreshKid, counter } = rotation
  return {
    // primary key of the grant and of both views; a concurrent winner makes `counter` differ on the second look
    name: `authorization_grant.rotate_${endWeek}`,
    text: `UPDATE grants.authorization_grant g
              SET counter = g.counter + 1, rotated_at = clock_timestamp(),
                  idle_end = least(clock_timestamp() + make_interval(secs => $5 / 1000.0), g.absolute_end)
            WHERE ${found(endWeek)} AND g.counter = $4
           RETURNING ${GRANT_COLUMNS}`,
    values: [grantId, clientId, refreshKid, counter, idleMs],
  }
}

/** The row of a family that is beyond `counter`; `in_window` when by one, and no longer than `retryMs` ago. */
export function lostRotationStatement(endWeek: number, rotation: Rotation, retryMs: number): Statement {
  const { grantId, clientId, refreshKid, counter } = rotation
  return {
    name: `authorization_grant.after_lost_rotation_${endWeek}`, // as above
    text: `SELECT ${GRANT_COLUMNS},
                  g.counter = $4 + 1 AND g.rotated_at > clock_timestamp() - make_interval(secs => $5 / 1000.0) AS in_window
             FROM grants.authorization_grant g
            WHERE ${found(endWeek)} AND g.counter > $4`,
    values: [grantId, clientId, refreshKid, counter, retryMs],
  }
}
