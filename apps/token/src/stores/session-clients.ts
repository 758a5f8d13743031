import type { Queryable } from '@signet/platform/postgres/pool'
import { endWeekOf } from '../grants/grant-id.ts'
import { weekOf } from '../partitions/partition-plan.ts'
import type { NewGrant } from './grant-store.ts'
import { recordWeeks } from './week-index.ts'

/**
 * Records that the application of a new grant takes part in its session, and the weeks of both, in the transaction that
 * makes the grant. An application that is back after an epoch has risen hears of the end again.
 */
export async function recordSessionClient(tx: Queryable, grant: NewGrant): Promise<void> {
  const { grantId, sid, sessionEnd, clientId, client, clientOrganization, user, userOrganization } = grant
  if (sid === undefined || sessionEnd === undefined) return
  await tx.query({
    name: 'session_client.record', // primary keys; nothing is written for one that is known
    text: `WITH weeks AS (${recordWeeks(`VALUES ('s', $1::text, 'authorization_grant', $11::integer),
                    ('s', $1::text, 'session_client', $3::integer), ('u', $4::text, 'authorization_grant', $11::integer),
                    ('u', $4::text, 'session_client', $3::integer)`)})
           INSERT INTO grants.session_client AS s
             (sid, client_id, end_week, user_id, user_epoch, user_organization_id, user_organization_epoch,
              client_epoch, client_organization_id, client_organization_epoch)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
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
    ],
  })
}
