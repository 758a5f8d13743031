import type { Queryable } from '@signet/platform/postgres/pool'
import type { ObjectKind } from '../bootstrap/desired-object.ts'
import type { PlacedObject } from '../bootstrap/object-writer.ts'
import type { Epoch } from '../epochs/epoch.ts'
import { type EpochRow, toEpoch } from './epoch-rows.ts'

/**
 * What ended in the transaction of `tx`, and the epochs of these objects: a file that is applied again publishes what
 * could not be published before.
 */
export async function bootstrapEpochs(
  tx: Queryable,
  objects: readonly PlacedObject[],
): Promise<readonly Epoch[]> {
  const ids = (...kinds: readonly ObjectKind[]) =>
    objects.filter(({ desired }) => kinds.includes(desired.kind)).map(({ id }) => id)
  const { rows } = await tx.query<EpochRow>({
    name: 'bootstrap.epochs', // a scan of the rows of a day, primary keys
    text: `SELECT kind, id, max(epoch) AS epoch FROM (
             SELECT kind, id, value AS epoch FROM directory.ending_change
              WHERE xid = pg_current_xact_id() OR (kind = 'p' AND split_part(id, ' ', 1) = ANY ($2))
              UNION ALL
             SELECT 'o', organization_id, token_epoch FROM directory.organization WHERE organization_id = ANY ($1)
              UNION ALL
             SELECT 'u', user_id, token_epoch FROM directory.account WHERE user_id = ANY ($2)
              UNION ALL
             SELECT 'c', s.client_id, a.token_epoch
               FROM directory.service_user s JOIN directory.account a USING (user_id)
              WHERE s.user_id = ANY ($2) AND s.client_id IS NOT NULL
              UNION ALL
             SELECT 'c', client_id, token_epoch FROM directory.application WHERE application_id = ANY ($3)
           ) AS current GROUP BY kind, id HAVING max(epoch) > 0`,
    values: [ids('organization'), ids('user', 'service_user'), ids('application')],
  })
  return rows.map(toEpoch)
}
