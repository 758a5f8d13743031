import type { Queryable } from '@signet/platform/postgres/pool'
import type { BootstrapStores } from '../bootstrap/bootstrap-stores.ts'
import type { ObjectKind } from '../bootstrap/desired-object.ts'
import type { CredentialWriting } from './bootstrap-credentials.ts'
import { bootstrapEpochs } from './bootstrap-epochs.ts'
import { PostgresFingerprintStore } from './bootstrap-fingerprint-store.ts'
import { PostgresReferenceStore } from './bootstrap-reference-store.ts'
import { bootstrapWriters } from './bootstrap-writers.ts'
import { lockObject } from './object-lock.ts'

/** Two processes may start at once; the number only has to be ours. */
const BOOTSTRAP_LOCK = 7_331_003

/** What the management API locks to compare an ETag and then write, under the names that it has there. */
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
