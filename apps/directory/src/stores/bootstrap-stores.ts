import type { Queryable } from '@signet/platform/postgres/pool'
import type { BootstrapStores } from '../bootstrap/bootstrap-stores.ts'
import type { ObjectKind } from '../bootstrap/desired-object.ts'
import type { PlacedObject } from '../bootstrap/object-writer.ts'
import type { Epoch } from '../epochs/epoch.ts'
import type { CredentialWriting } from './bootstrap-credentials.ts'
import { PostgresFingerprintStore } from './bootstrap-fingerprint-store.ts'
import { PostgresReferenceStore } from './bootstrap-reference-store.ts'
import { bootstrapWriters } from './bootstrap-writers.ts'
import { type EpochRow, toEpoch } from './epoch-rows.ts'
import { lockObject } from './object-lock.ts'

/** Two processes may start at once; the number only has to be ours. */
const BOOTSTRAP_LOCK = 7_331_003

/**
 * The kinds that the management API locks between comparing an ETag and writing, under its names for them.
 */
const LOCKED_AS: { readonly [K in ObjectKind]?: string } = {
  organization: 'organization',
  user: 'user',
  service_user: 'user',
  project: 'project',
  application: 'application',
}

export function bootstrapStores(tx: Queryable, writing: CredentialWriting): BootstrapStores {
  const run = async (name: string, text: string, values: readonly unknown[] = []) => {
    await tx.query({ name: `bootstrap.${name}`, text, values })
  }
  return {
    writers: bootstrapWriters(tx, writing),
    fingerprints: new PostgresFingerprintStore(tx),
    references: new PostgresReferenceStore(tx),
    lock: () => run('lock', 'SELECT pg_advisory_xact_lock($1)', [BOOTSTRAP_LOCK]),
    ownersAtTheEnd: () => run('owners_later', 'SET CONSTRAINTS directory.keep_instance_owner DEFERRED'),
    requireOwner: () => run('owners_now', 'SET CONSTRAINTS directory.keep_instance_owner IMMEDIATE'),
    async lockObject(kind, id) {
      const name = LOCKED_AS[kind]
      if (name !== undefined) await lockObject(tx, name, id)
    },
    epochs: (objects) => bootstrapEpochs(tx, objects),
    async takenBack(work) {
      await run('begin_trial', 'SAVEPOINT trial')
      const result = await work()
      await run('end_trial', 'ROLLBACK TO SAVEPOINT trial')
      return result
    },
  }
}

/**
 * The endings of the transaction of `tx`, and the current epochs of these objects: applying a file again
 * publishes endings that could not be published before.
 */
async function bootstrapEpochs(tx: Queryable, objects: readonly PlacedObject[]): Promise<readonly Epoch[]> {
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
