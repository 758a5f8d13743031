import type { Database, Queryable } from '@signet/platform/postgres/pool'
import { PostgresAccountStore } from '../accounts/account.repository.ts'
import { PostgresTotpSecretStore } from '../accounts/totp-secret.repository.ts'
import { PostgresApplicationStore } from '../applications/application.repository.ts'
import { PostgresAuditChainReader } from '../audit/audit-chain.repository.ts'
import { PostgresAuditEntryStore } from '../audit/audit-entry.repository.ts'
import { auditTable } from '../audit/audit-table.ts'
import { PostgresBootstrapStore } from '../bootstrap/bootstrap.repository.ts'
import { PostgresClientSecretStore } from '../credentials/client-secret.repository.ts'
import { PostgresCredentialStore } from '../credentials/credential.repository.ts'
import { ManagedPasskeyStore } from '../credentials/passkeys/passkey.repository.ts'
import { PostgresPersonalAccessTokenStore } from '../credentials/personal-access-token.repository.ts'
import { ManagedRecoveryCodeStore } from '../credentials/recovery-codes/recovery-code.repository.ts'
import { PostgresRegisteredKeyStore } from '../credentials/registered-key.repository.ts'
import { conflictOf } from '../database/constraint-conflict.ts'
import { PostgresDoctorStore } from '../doctor/doctor.repository.ts'
import { PostgresUserGrantStore } from '../grants/user-grant.repository.ts'
import { PostgresInstanceStore } from '../instance/instance.repository.ts'
import { PostgresLoginTextStore } from '../login-texts/login-text.repository.ts'
import { PostgresMailStore } from '../mail/mail.repository.ts'
import { PostgresMessageTextStore } from '../mail/message-text.repository.ts'
import { PostgresSmtpSettingsStore } from '../mail/smtp-settings.repository.ts'
import { PostgresMemberStore } from '../members/member.repository.ts'
import { OfferedRoleStore } from '../members/offered-role.repository.ts'
import { PostgresMetadataStore } from '../metadata/metadata.repository.ts'
import { PostgresBrandingFileStore } from '../organizations/branding-file.repository.ts'
import { PostgresDomainStore } from '../organizations/domain.repository.ts'
import { PostgresOrganizationStore } from '../organizations/organization.repository.ts'
import { PostgresPolicyStore } from '../organizations/policy.repository.ts'
import { PostgresResourceScopeStore } from '../permissions/resource-scope.repository.ts'
import { PostgresProjectStore } from '../projects/project.repository.ts'
import { PostgresProjectGrantStore } from '../projects/project-grant.repository.ts'
import { PostgresProjectRoleStore } from '../projects/project-role.repository.ts'
import { PostgresSealedValueStore } from '../sealing/sealed-value.repository.ts'
import type { CarriedSealing } from '../transfer/carried.repository.ts'
import { PostgresIdempotencyStore } from './idempotency.repository.ts'
import type { ManagementStores, Transact } from './management-call.ts'

/** Of the locks that this service takes on numbers, those of the management API. */
const LOCK_SPACE = 7_331_007

/** Waits until no other transaction holds the lock of the object, and holds it until this one ends. */
async function lockObject(queryable: Queryable, kind: string, id: string): Promise<void> {
  await queryable.query({
    name: 'management.lock',
    text: 'SELECT pg_advisory_xact_lock($1, hashtext($2))',
    values: [LOCK_SPACE, `${kind} ${id}`],
  })
}

export function managementStores(queryable: Queryable, sealing: CarriedSealing): ManagementStores {
  return {
    accounts: new PostgresAccountStore(queryable),
    applicationKeys: new PostgresRegisteredKeyStore(queryable, 'application_key'),
    applications: new PostgresApplicationStore(queryable),
    auditChain: new PostgresAuditChainReader(queryable),
    auditEntries: new PostgresAuditEntryStore(queryable),
    bootstrap: new PostgresBootstrapStore(queryable),
    clientSecrets: new PostgresClientSecretStore(queryable),
    credentials: new PostgresCredentialStore(queryable),
    doctor: new PostgresDoctorStore(queryable),
    brandingFiles: new PostgresBrandingFileStore(queryable),
    domains: new PostgresDomainStore(queryable),
    idempotency: new PostgresIdempotencyStore(queryable),
    instance: new PostgresInstanceStore(queryable),
    machineKeys: new PostgresRegisteredKeyStore(queryable, 'machine_key'),
    organizationMetadata: new PostgresMetadataStore(queryable, 'organization_metadata'),
    userMetadata: new PostgresMetadataStore(queryable, 'user_metadata'),
    mail: new PostgresMailStore(queryable, sealing.masterKeys),
    loginTexts: new PostgresLoginTextStore(queryable),
    messageTexts: new PostgresMessageTextStore(queryable, sealing),
    members: new PostgresMemberStore(queryable),
    offeredRoles: new OfferedRoleStore(queryable),
    organizations: new PostgresOrganizationStore(queryable),
    passkeys: new ManagedPasskeyStore(queryable),
    recoveryCodes: new ManagedRecoveryCodeStore(queryable),
    scopes: new PostgresResourceScopeStore(queryable),
    policies: new PostgresPolicyStore(queryable),
    projectGrants: new PostgresProjectGrantStore(queryable),
    projectRoles: new PostgresProjectRoleStore(queryable),
    projects: new PostgresProjectStore(queryable),
    sealedValues: new PostgresSealedValueStore(queryable),
    smtpSettings: new PostgresSmtpSettingsStore(queryable),
    tokens: new PostgresPersonalAccessTokenStore(queryable),
    totpSecrets: new PostgresTotpSecretStore(queryable),
    userGrants: new PostgresUserGrantStore(queryable),
    record: (event) => auditTable.record(queryable, event),
    lock: (kind, id) => lockObject(queryable, kind, id),
  }
}

export function managementTransactions(database: Database, sealing: CarriedSealing): Transact {
  return async (work) => {
    try {
      return await database.transaction((tx) => work(managementStores(tx, sealing)))
    } catch (error) {
      throw conflictOf(error) ?? error
    }
  }
}
