import type { Database, Queryable } from '@signet/platform/postgres/pool'
import { type AccountStore, PostgresAccountStore } from './accounts/account.repository.ts'
import type { ResetFailures } from './accounts/account.ts'
import { PostgresTotpSecretStore, type TotpSecretStore } from './accounts/totp-secret.repository.ts'
import { PostgresIdempotencyStore } from './api/idempotency.repository.ts'
import type { RunnerServices, RunnerStores, Transact } from './api/run-operation.ts'
import { type ApplicationStore, PostgresApplicationStore } from './applications/application.repository.ts'
import { PostgresAuditChainReader } from './audit/audit-chain.repository.ts'
import type { AuditChainReader } from './audit/audit-chain.ts'
import { type AuditEntryStore, PostgresAuditEntryStore } from './audit/audit-entry.repository.ts'
import { auditTable } from './audit/audit-table.ts'
import { type BootstrapStore, PostgresBootstrapStore } from './bootstrap/bootstrap.repository.ts'
import type { CarriedSealing } from './carried/carried.repository.ts'
import { type ClientSecretStore, PostgresClientSecretStore } from './credentials/client-secret.repository.ts'
import { type CredentialStore, PostgresCredentialStore } from './credentials/credential.repository.ts'
import { ManagedPasskeyStore } from './credentials/passkey.repository.ts'
import type { CheckPassword } from './credentials/password-policy.ts'
import {
  type PersonalAccessTokenStore,
  PostgresPersonalAccessTokenStore,
} from './credentials/personal-access-token.repository.ts'
import { ManagedRecoveryCodeStore } from './credentials/recovery-code.repository.ts'
import {
  PostgresRegisteredKeyStore,
  type RegisteredKeyStore,
} from './credentials/registered-key.repository.ts'
import { conflictOf } from './database/constraint-conflict.ts'
import { lockObject } from './database/lock-object.ts'
import { type DoctorStore, PostgresDoctorStore } from './doctor/doctor.repository.ts'
import { PostgresUserGrantStore, type UserGrantStore } from './grants/user-grant.repository.ts'
import { type InstanceStore, PostgresInstanceStore } from './instance/instance.repository.ts'
import { type LoginTextStore, PostgresLoginTextStore } from './login-texts/login-text.repository.ts'
import { type MailStore, PostgresMailStore } from './mail/mail.repository.ts'
import { type MessageTextStore, PostgresMessageTextStore } from './mail/message-text.repository.ts'
import type { SmtpServer } from './mail/smtp.ts'
import { PostgresSmtpSettingsStore, type SmtpSettingsStore } from './mail/smtp-settings.repository.ts'
import type { SendTestMail } from './mail/test-mail.ts'
import { OfferedRoleStore } from './members/offered-role.repository.ts'
import { type MetadataStore, PostgresMetadataStore } from './metadata/metadata.repository.ts'
import {
  type BrandingFileStore,
  PostgresBrandingFileStore,
} from './organizations/branding-file.repository.ts'
import { type DomainStore, PostgresDomainStore } from './organizations/domain.repository.ts'
import { type OrganizationStore, PostgresOrganizationStore } from './organizations/organization.repository.ts'
import { type PolicyStore, PostgresPolicyStore } from './organizations/policy.repository.ts'
import { type MemberStore, PostgresMemberStore } from './permissions/member.repository.ts'
import {
  PostgresResourceScopeStore,
  type ResourceScopeStore,
} from './permissions/resource-scope.repository.ts'
import { PostgresProjectStore, type ProjectStore } from './projects/project.repository.ts'
import { PostgresProjectGrantStore, type ProjectGrantStore } from './projects/project-grant.repository.ts'
import { PostgresProjectRoleStore, type ProjectRoleStore } from './projects/project-role.repository.ts'
import { PostgresSealedValueStore, type SealedValueStore } from './sealed-value.repository.ts'
import type { SessionClient } from './sessions/session.ts'

/** The stores of the management API: all on one transaction, or each statement on its own. */
export interface ManagementStores extends RunnerStores {
  readonly accounts: AccountStore
  readonly applicationKeys: RegisteredKeyStore
  readonly applications: ApplicationStore
  readonly auditChain: AuditChainReader
  readonly auditEntries: AuditEntryStore
  /** For applying a file. */
  readonly bootstrap: BootstrapStore
  readonly brandingFiles: BrandingFileStore
  readonly clientSecrets: ClientSecretStore
  readonly credentials: CredentialStore
  readonly doctor: DoctorStore
  readonly domains: DomainStore
  readonly instance: InstanceStore
  readonly machineKeys: RegisteredKeyStore
  readonly organizationMetadata: MetadataStore
  readonly userMetadata: MetadataStore
  readonly mail: MailStore
  readonly members: MemberStore
  readonly loginTexts: LoginTextStore
  readonly messageTexts: MessageTextStore
  readonly offeredRoles: OfferedRoleStore
  readonly organizations: OrganizationStore
  readonly passkeys: ManagedPasskeyStore
  readonly recoveryCodes: ManagedRecoveryCodeStore
  readonly scopes: ResourceScopeStore
  readonly policies: PolicyStore
  readonly projectGrants: ProjectGrantStore
  readonly projectRoles: ProjectRoleStore
  readonly projects: ProjectStore
  readonly sealedValues: SealedValueStore
  readonly smtpSettings: SmtpSettingsStore
  readonly tokens: PersonalAccessTokenStore
  readonly totpSecrets: TotpSecretStore
  readonly userGrants: UserGrantStore
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

export function managementTransactions(
  database: Database,
  sealing: CarriedSealing,
): Transact<ManagementStores> {
  return async (work) => {
    try {
      return await database.transaction((tx) => work(managementStores(tx, sealing)))
    } catch (error) {
      throw conflictOf(error) ?? error
    }
  }
}

/** The dependencies of the use cases of the management API; each names its own part of it. */
export interface ManagementServices extends RunnerServices {
  readonly stores: ManagementStores
  readonly sessions: SessionClient
  readonly resetFailures: ResetFailures
  readonly checkPassword: CheckPassword
  /** The SMTP server of the instance, if there is one. */
  readonly instanceSmtp: SmtpServer | undefined
  readonly sendTestMail: SendTestMail
}
