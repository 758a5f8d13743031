/**
 * The statements of a refresh (RFC 6749 section 6, RFC 9700 section 4.14): `createRotateFamily` replaces the current
 * refresh token; `retryOrReuseStatement` finds the family of a token that was rotated before: a retry within the window, or
 * reuse.
 */
import type { Database, Statement } from '@signet/platform/postgres/pool'
import { createGroupedCall } from '@signet/platform/runtime/in-groups'
import type { Rotation } from '../grant-store.ts'
import { GRANT_COLUMNS, GRANT_EPOCHS_CURRENT_SQL, type GrantRow, ORIGINS_NOT_ENDED_SQL } from './grant-row.ts'

/** A larger statement would hold its row locks, and delay the requests that wait for them, too long. */
const MOST_ROTATIONS = 50

type RotateInPartition = (rotation: Rotation) => Promise<GrantRow | undefined>

/** Resolves to the family's row after its rotation, or to undefined when it is not at that counter or may not be rotated. */
export type RotateFamily = (
  endWeek: number,
  rotation: Rotation,
  idleMs: number,
) => Promise<GrantRow | undefined>

/**
 * Rotates families in batches: one statement and one commit for the requests that arrive while the batch before runs.
 * Each rotation depends on its own row alone, and none waits for the row of another.
 */
export function createRotateFamily(database: Database): RotateFamily {
  // One queue for each statement: rotations of the same partition and the same idle time, by the same number of positions.
  const queues = new Map<string, RotateInPartition>()
  return (endWeek, rotation, idleMs) => {
    const key = `${endWeek} ${idleMs} ${stepOf(rotation)}`
    const rotateInPartition = queues.get(key) ?? createRotateInPartition(database, endWeek, idleMs)
    queues.set(key, rotateInPartition)
    return rotateInPartition(rotation)
  }
}

const stepOf = ({ rotates }: Rotation): number => (rotates ? 1 : 0)

/**
 * The same statement may rotate the family for another request: with an older token, another key, an audience that was checked,
 * or of another client.
 */
function isRotatedBy(row: GrantRow, rotation: Rotation): boolean {
  const { clientId, refreshKid, counter, provenKey, isAudienceChecked } = rotation
  const isKeyProven = row.bound_to === null || row.bound_to === provenKey
  const needsNoCheck = row.audience === null && !row.scopes.join(' ').includes(':aud')
  return (
    isKeyProven &&
    (isAudienceChecked || needsNoCheck) &&
    row.client_id === clientId &&
    row.refresh_kid === refreshKid &&
    row.counter === counter + stepOf(rotation)
  )
}

function createRotateInPartition(database: Database, endWeek: number, idleMs: number): RotateInPartition {
  const inBatch = createGroupedCall<Rotation, GrantRow | undefined>(MOST_ROTATIONS, async (rotations) => {
    const { rows } = await database.query<GrantRow>(rotateManyStatement(endWeek, rotations, idleMs))
    const rotated = new Map(rows.map((row) => [row.grant_id, row]))
    return rotations.map((rotation) => {
      const row = rotated.get(rotation.grantId)
      if (row === undefined || !isRotatedBy(row, rotation)) return undefined
      // Of two calls with one token the first rotated it. A family that keeps its token has room for all.
      if (rotation.rotates) rotated.delete(rotation.grantId)
      return row
    })
  })

  // Retries alone, so that a locked row does not delay the batch.
  const alone: RotateInPartition = async (rotation) => {
    const { rows } = await database.query<GrantRow>(rotateStatement(endWeek, rotation, idleMs))
    return rows[0]
  }

  return async (rotation) => (await inBatch(rotation)) ?? alone(rotation)
}

// Each statement must read one row of one partition by its primary key for every rotation, also while the planner has no
// statistics of a new partition. So the week stands in the text: with a parameter every partition is opened and locked. The
// clauses on ended_at and client_id are written so that no other index serves them, and OFFSET keeps the views from being
// joined with the grants before the grant is found.

// SQL: the audience was checked (`refresh-token-grant.ts`), or the scopes name no API and no other project.
const audienceCheckedSql = (isAudienceChecked: string): string =>
  `(${isAudienceChecked}::boolean OR (g.audience IS NULL AND array_to_string(g.scopes, ' ') NOT LIKE '%:aud%'))`

const familySql = (endWeek: number, grantId: string, clientId: string, refreshKid: string): string =>
  `g.end_week = ${endWeek} AND g.grant_id = ${grantId} AND g.refresh_kid = ${refreshKid}
                AND (g.ended_at IS NULL) IS TRUE AND g.idle_end > clock_timestamp()
                AND EXISTS (SELECT FROM directory_read.account_life_v1 a, directory_read.client_life_v1 c
                             WHERE ${GRANT_EPOCHS_CURRENT_SQL} AND c.client_id = ${clientId} OFFSET 0)
                AND ${ORIGINS_NOT_ENDED_SQL}`

// SQL: the family is not bound, or to the key that was proven (RFC 9449 section 5).
const keyProvenSql = (provenKey: string): string => `(g.bound_to IS NULL OR g.bound_to = ${provenKey}::text)`

// SQL: the use of a token that stays current ends the window of its predecessor.
const rotateSql = (idleMs: string, step: string): string => `counter = g.counter + ${step}::integer,
                  rotated_at = CASE ${step}::integer WHEN 1 THEN clock_timestamp() END,
                  idle_end = least(clock_timestamp() + make_interval(secs => ${idleMs} / 1000.0), g.absolute_end)`

/** Rotates the family and returns its row, or no row when it is not at `counter` or may not be rotated. */
function rotateStatement(endWeek: number, rotation: Rotation, idleMs: number): Statement {
  const { grantId, clientId, refreshKid, counter, isAudienceChecked, provenKey, binds } = rotation
  return {
    // primary key of the grant and of both views; a concurrent winner makes `counter` differ on the second look
    name: `authorization_grant.rotate_${endWeek}`,
    text: `UPDATE grants.authorization_grant g
              SET ${rotateSql('$5', '$9')}, bound_to = coalesce(g.bound_to, CASE WHEN $8::boolean THEN $7::text END)
            WHERE ${familySql(endWeek, '$1', '$2', '$3')} AND g.counter = $4 AND ${audienceCheckedSql('$6')}
              AND ${keyProvenSql('$7')}
           RETURNING ${GRANT_COLUMNS}`,
    values: [
      grantId,
      clientId,
      refreshKid,
      counter,
      idleMs,
      isAudienceChecked,
      provenKey,
      binds,
      stepOf(rotation),
    ],
  }
}

/**
 * `rotateStatement` for many families: returns the rows of the rotated ones. It skips locked rows, so
 * that no two of these statements wait for each other, and families that are to be bound; `rotateStatement` decides about a
 * family that is not returned.
 */
function rotateManyStatement(endWeek: number, rotations: readonly Rotation[], idleMs: number): Statement {
  return {
    // primary keys as above: a locking subquery runs once for each rotation, never as another join. Its rows
    // stay locked, so the id is enough to update them.
    name: `authorization_grant.rotate_many_${endWeek}`,
    text: `UPDATE grants.authorization_grant g
              SET ${rotateSql('$5', '$9')}
            WHERE g.end_week = ${endWeek} AND g.grant_id = ANY (ARRAY (
                    SELECT held.grant_id
                      FROM unnest($1::text[], $2::text[], $3::text[], $4::integer[], $6::boolean[],
                                $7::text[], $8::boolean[])
                             AS asked (grant_id, client_id, refresh_kid, counter, is_audience_checked, proven_key, binds),
                           LATERAL (SELECT g.grant_id FROM grants.authorization_grant g
                                     WHERE ${familySql(endWeek, 'asked.grant_id', 'asked.client_id', 'asked.refresh_kid')}
                                       AND g.counter = asked.counter AND ${audienceCheckedSql('asked.is_audience_checked')}
                                       AND ${keyProvenSql('asked.proven_key')} AND NOT (asked.binds AND g.bound_to IS NULL)
                                       FOR NO KEY UPDATE OF g SKIP LOCKED) AS held))
           RETURNING ${GRANT_COLUMNS}`,
    values: [
      rotations.map(({ grantId }) => grantId),
      rotations.map(({ clientId }) => clientId),
      rotations.map(({ refreshKid }) => refreshKid),
      rotations.map(({ counter }) => counter),
      idleMs,
      rotations.map(({ isAudienceChecked }) => isAudienceChecked),
      rotations.map(({ provenKey }) => provenKey),
      rotations.map(({ binds }) => binds),
      rotations.some(({ rotates }) => rotates) ? 1 : 0,
    ],
  }
}

/**
 * Detects reuse: returns the row of a family that is beyond `counter`. `in_window` is true for a retry: the
 * family is one rotation ahead, since at most `retryMs`, so its token was never presented; false is reuse.
 */
export function retryOrReuseStatement(endWeek: number, rotation: Rotation, retryMs: number): Statement {
  const { grantId, clientId, refreshKid, counter, provenKey } = rotation
  return {
    name: `authorization_grant.after_lost_rotation_${endWeek}`, // as above
    text: `SELECT ${GRANT_COLUMNS},
                  g.counter = $4 + 1 AND g.rotated_at > clock_timestamp() - make_interval(secs => $5 / 1000.0) AS in_window
             FROM grants.authorization_grant g
            WHERE ${familySql(endWeek, '$1', '$2', '$3')} AND g.counter > $4 AND ${keyProvenSql('$6')}`,
    values: [grantId, clientId, refreshKid, counter, retryMs, provenKey],
  }
}
