import type { Database, Queryable } from '@signet/postgres/pool'
import type { ManagementStores, Transact } from '../management/management-stores.ts'
import { PostgresAccountStore } from './account-store.ts'
import { PostgresApplicationStore } from './application-store.ts'
import { recordAuditEvent } from './audit-log.ts'
import { conflictOf } from './constraint-conflict.ts'
import { PostgresIdempotencyStore } from './idempotency-store.ts'
import { PostgresInstanceStore } from './instance-store.ts'
import { PostgresOrganizationStore } from './organization-store.ts'
import { PostgresPlaceStore } from './place-store.ts'

/** Of the locks that this service takes on numbers, those of the management API. */
const LOCK_SPACE = 7_331_007

export function managementStores(queryable: Queryable): ManagementStores {
  return {
    accounts: new PostgresAccountStore(queryable),
    applications: new PostgresApplicationStore(queryable),
    idempotency: new PostgresIdempotencyStore(queryable),
    instance: new PostgresInstanceStore(queryable),
    organizations: new PostgresOrganizationStore(queryable),
    places: new PostgresPlaceStore(queryable),
    record: (event) => recordAuditEvent(queryable, event),
    async lock(kind, id) {
      await queryable.query({
        name: 'management.lock',
        text: 'SELECT pg_advisory_xact_lock($1, hashtext($2))',
        values: [LOCK_SPACE, `${kind} ${id}`],
      })
    },
  }
}

export function managementTransactions(database: Database): Transact {
  return async (work) => {
    try {
      return await database.transaction((tx) => work(managementStores(tx)))
    } catch (error) {
      throw conflictOf(error) ?? error
    }
  }
}
