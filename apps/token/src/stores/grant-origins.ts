import type { Queryable } from '@signet/platform/postgres/pool'
import { marksOf } from '@signet/revocation-reader/endings'
import { endWeekOf } from '../grants/grant-id.ts'
import { ORIGINS_ARE_ALIVE } from './grant-row.ts'
import type { NewGrant } from './grant-store.ts'
import { lockSessionShared } from './session-lock.ts'
import { recordWeeks } from './week-index.ts'

/**
 * Holds the sessions, the tokens and the grants that a new grant rests on, so that what ends one of them waits and then
 * sees the new grant. In one order for everybody.
 */
export async function lockOrigins(tx: Queryable, grant: NewGrant): Promise<void> {
  const origins = grant.exchange?.origins ?? []
  const held = [
    grant.sid,
    ...origins.flatMap(({ sid, tokenId, personalTokenId }) => [sid, tokenId, personalTokenId]),
  ]
  const ids = new Set(held.filter((id) => id !== undefined))
  for (const id of [...ids].sort()) await lockSessionShared(tx, id)
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

/** Writes what an exchanged grant rests on; false when one of it has ended, and then the transaction must not commit. */
export async function recordOrigins(tx: Queryable, grant: NewGrant): Promise<boolean> {
  if (grant.exchange === undefined) return true
  const marks = grant.exchange.origins.flatMap((origin) => marksOf(origin)).filter(({ kind }) => kind !== 'k')
  await tx.query({
    // primary keys; of two epochs of one id the lower one ends first
    name: 'grant_origin.insert',
    text: `WITH weeks AS (${recordWeeks(`
             SELECT kind, id, 'grant_origin', $1::integer FROM unnest($3::text[], $4::text[]) AS mark (kind, id)
              WHERE kind IN ('s', 'g', 't', 'p')
             UNION SELECT 'u', $6::text, 'authorization_grant', $1::integer`)})
           INSERT INTO grants.grant_origin (end_week, grant_id, kind, id, epoch)
           SELECT $1::integer, $2::text, kind, id, min(epoch)
             FROM unnest($3::text[], $4::text[], $5::bigint[]) AS mark (kind, id, epoch) GROUP BY kind, id`,
    values: [
      endWeekOf(grant.grantId),
      grant.grantId,
      marks.map(({ kind }) => kind),
      marks.map(({ id }) => id),
      marks.map(({ epoch }) => epoch ?? null),
      grant.user.id,
    ],
  })
  const { rows } = await tx.query<{ alive: boolean }>({
    // grant_origin's primary key, revocation_by_id, authorization_grant's primary key, the keys of the views
    name: 'grant_origin.are_alive',
    text: `SELECT ${ORIGINS_ARE_ALIVE} AND NOT EXISTS (
             SELECT 1 FROM grants.grant_origin o JOIN grants.revocation r ON r.kind = o.kind AND r.id = o.id
              WHERE o.end_week = g.end_week AND o.grant_id = g.grant_id AND o.kind IN ('g', 's', 't', 'p')) AS alive
             FROM grants.authorization_grant g WHERE g.end_week = $1 AND g.grant_id = $2`,
    values: [endWeekOf(grant.grantId), grant.grantId],
  })
  return rows[0]?.alive === true
}
