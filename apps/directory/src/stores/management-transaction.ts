import type { Database, Queryable } from '@signet/platform/postgres/pool'
import type { ManagementStores, Transact } from '../management/management-stores.ts'
import { PostgresAccountStore } from './account-store.ts'
import { PostgresApplicationStore } from './application-store.ts'
import { PostgresAuditEntryStore } from './audit-entry-store.ts'
import { trail } from './audit-trail.ts'
import { bootstrapStores } from './bootstrap-stores.ts'
import { PostgresClientSecretStore } from './client-secret-store.ts'
import { conflictOf } from './constraint-conflict.ts'
import { PostgresCredentialStore } from './credential-store.ts'
import { PostgresDoctorStore } from './doctor-store.ts'
import { PostgresDomainStore } from './domain-store.ts'
import { PostgresIdempotencyStore } from './idempotency-store.ts'
import { PostgresInstanceStore } from './instance-store.ts'
import { PostgresMemberStore } from './member-store.ts'
import { PostgresMetadataStore } from './metadata-store.ts'
import { lockObject } from './object-lock.ts'
import { OfferedRoleStore } from './offered-role-store.ts'
import { PostgresOrganizationStore } from './organization-store.ts'
import { PostgresPersonalAccessTokenStore } from './personal-access-token-store.ts'
import { PostgresPlaceStore } from './place-store.ts'
import { PostgresPolicyStore } from './policy-store.ts'
import { PostgresProjectGrantStore } from './project-grant-store.ts'
import { PostgresProjectRoleStore } from './project-role-store.ts'
import { PostgresProjectStore } from './project-store.ts'
import { PostgresRegisteredKeyStore } from './registered-key-store.ts'
import { PostgresTotpSecretStore } from './totp-secret-store.ts'
import { PostgresUserGrantStore } from './user-grant-store.ts'

export function managementStores(queryable: Queryable): ManagementStores {
  return {
    accounts: new PostgresAccountStore(queryable),
    applicationKeys: new PostgresRegisteredKeyStore(queryable, 'application_key'),
    applications: new PostgresApplicationStore(queryable),
    auditEntries: new PostgresAuditEntryStore(queryable),
    bootstrap: (writing) => bootstrapStores(queryable, writing),
    clientSecrets: new PostgresClientSecretStore(queryable),
    credentials: new PostgresCredentialStore(queryable),
    doctor: new PostgresDoctorStore(queryable),
    domains: new PostgresDomainStore(queryable),
    idempotency: new PostgresIdempotencyStore(queryable),
    instance: new PostgresInstanceStore(queryable),
    machineKeys: new PostgresRegisteredKeyStore(queryable, 'machine_key'),
    organizationMetadata: new PostgresMetadataStore(queryable, 'organization_metadata'),
    userMetadata: new PostgresMetadataStore(queryable, 'user_metadata'),
    members: new PostgresMemberStore(queryable),
    offeredRoles: new OfferedRoleStore(queryable),
    organizations: new PostgresOrganizationStore(queryable),
    places: new PostgresPlaceStore(queryable),
    policies: new PostgresPolicyStore(queryable),
    projectGrants: new PostgresProjectGrantStore(queryable),
    projectRoles: new PostgresProjectRoleStore(queryable),
    projects: new PostgresProjectStore(queryable),
    tokens: new PostgresPersonalAccessTokenStore(queryable),
    totpSecrets: new PostgresTotpSecretStore(queryable),
    userGrants: new PostgresUserGrantStore(queryable),
    record: (event) => trail.record(queryable, event),
    lock: (kind, id) => lockObject(queryable, kind, id),
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
