import type { Queryable, Statement } from '@signet/platform/postgres/pool'
import type { Access } from '../grant-store.ts'
import { lockSessionShared, lockSessions } from './session-lock.ts'

type Holder = Pick<Access, 'userId' | 'clientId'>

/** No id holds a space, so this is no id of a session. */
const lockName = ({ userId, clientId }: Holder) => `${userId} ${clientId}`

/** Hold the accesses: an end that begins now waits for this transaction, and then sees its grant. */
export const holdAccesses = (holders: readonly Holder[]): readonly Statement[] =>
  [...new Set(holders.map(lockName))].sort().map(lockSessionShared)

/** Waits for the transactions that hold the access, and keeps others out until the commit. */
export const lockAccess = (holder: Holder): readonly Statement[] => lockSessions([lockName(holder)])

/** The statement that records that the person ended the access now. It writes nothing for a client that does not exist. */
export const recordAccessEnd = ({ userId, clientId }: Holder): Statement => ({
  name: 'ended_access.record', // primary keys of the view and of the table
  text: `INSERT INTO grants.ended_access AS e (user_id, client_id, ended_at)
         SELECT $1, c.client_id, clock_timestamp() FROM directory_read.client_life_v1 c WHERE c.client_id = $2
             ON CONFLICT (user_id, client_id) DO UPDATE SET ended_at = greatest(e.ended_at, excluded.ended_at)`,
  values: [userId, clientId],
})

/** Tells whether the person ended the access since it was proven. */
export async function wasAccessEnded(
  tx: Queryable,
  { userId, clientId, provenAt }: Access,
): Promise<boolean> {
  const { rows } = await tx.query({
    name: 'ended_access.find', // primary key
    text: 'SELECT FROM grants.ended_access WHERE user_id = $1 AND client_id = $2 AND ended_at > $3',
    values: [userId, clientId, provenAt],
  })
  return rows.length > 0
}

/** Longer than a session at another issuer lasts. */
const DAYS_KEPT = 400

export async function deleteOldAccessEnds(database: Queryable): Promise<void> {
  await database.query({
    name: 'ended_access.delete', // one row for each end by a person: read as a whole
    text: `DELETE FROM grants.ended_access WHERE ended_at < clock_timestamp() - make_interval(days => ${DAYS_KEPT})`,
    values: [],
  })
}
