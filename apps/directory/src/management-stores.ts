import type { GetText } from '@signet/platform/outbound-http/http-calls'
import type { Database, Queryable } from '@signet/platform/postgres/pool'
import type { ExplainSignIn } from './access/sign-in-explanation.ts'
import { AccountStore } from './accounts/account.repository.ts'
import type { ResetFailures } from './accounts/account.ts'
import { ManagedFactorStore } from './accounts/second-factor.repository.ts'
import { TotpSecretStore } from './accounts/totp-secret.repository.ts'
import { IdempotencyStore } from './api/idempotency.repository.ts'
import type { RunnerServices, RunnerStores, Transact } from './api/run-operation.ts'
import { ApplicationStore } from './applications/application.repository.ts'
import { ActivityStore } from './audit/activity.repository.ts'
import { PostgresAuditChainReader } from './audit/audit-chain.repository.ts'
import type { AuditChainReader } from './audit/audit-chain.ts'
import { AuditEntryStore } from './audit/audit-entry.repository.ts'
import { auditTable } from './audit/audit-table.ts'
import { BootstrapStore } from './bootstrap/bootstrap.repository.ts'
import type { CarriedSealing } from './carried/carried.repository.ts'
import { ClientDocumentStore } from './client-documents/client-document.repository.ts'
import { ClientRegistrationStore } from './client-registration/client-registration.repository.ts'
import { RegistrationTokenStore } from './client-registration/registration-token.repository.ts'
import type { AttemptKeys } from './credentials/attempt-keys.ts'
import { ClientSecretStore } from './credentials/client-secret.repository.ts'
import { CredentialStore } from './credentials/credential.repository.ts'
import { IssuerTrustStore } from './credentials/issuer-trust.repository.ts'
import { ManagedPasskeyStore } from './credentials/passkey.repository.ts'
import type { CheckPassword } from './credentials/password-check.ts'
import { PersonalAccessTokenStore } from './credentials/personal-access-token.repository.ts'
import { ManagedRecoveryCodeStore } from './credentials/recovery-code.repository.ts'
import { RegisteredKeyStore } from './credentials/registered-key.repository.ts'
import { conflictOf } from './database/constraint-conflict.ts'
import { lockObject } from './database/lock-object.ts'
import { DoctorStore } from './doctor/doctor.repository.ts'
import { StaticSecretStore } from './doctor/static-secrets.repository.ts'
import { RoleListStore } from './grants/role-list.repository.ts'
import { UserGrantStore } from './grants/user-grant.repository.ts'
import { IdentityLinkStore } from './identity-providers/identity-link.repository.ts'
import { IdentityProviderStore } from './identity-providers/identity-provider.repository.ts'
import { ProviderTestStore } from './identity-providers/provider-test.repository.ts'
import { ImpersonationStore } from './impersonations/impersonation.repository.ts'
import { InstanceStore } from './instance/instance.repository.ts'
import type { PreviewSignInPage } from './login-texts/branding-preview.ts'
import { LoginTextStore } from './login-texts/login-text.repository.ts'
import { MailStore } from './mail/mail.repository.ts'
import { MessageTextStore } from './mail/message-text.repository.ts'
import type { SmtpServer } from './mail/smtp.ts'
import { SmtpSettingsStore } from './mail/smtp-settings.repository.ts'
import type { SendTestMail } from './mail/test-mail.ts'
import { OfferedRoleStore } from './members/offered-role.repository.ts'
import { MetadataStore } from './metadata/metadata.repository.ts'
import { BrandingFileStore } from './organizations/branding-file.repository.ts'
import { DomainStore } from './organizations/domain.repository.ts'
import { OrganizationStore } from './organizations/organization.repository.ts'
import { PolicyStore } from './organizations/policy.repository.ts'
import { MemberStore } from './permissions/member.repository.ts'
import { ObjectNameStore } from './permissions/object-name.repository.ts'
import { ResourceScopeStore } from './permissions/resource-scope.repository.ts'
import type { PreviewTokens } from './previews/token-preview.ts'
import { ProjectStore } from './projects/project.repository.ts'
import { ProjectGrantStore } from './projects/project-grant.repository.ts'
import { ProjectRoleStore } from './projects/project-role.repository.ts'
import { ReferenceStore } from './references/reference.repository.ts'
import type { RefusalStore } from './refusals/refusal.repository.ts'
import { SealedValueStore } from './sealed-value.repository.ts'
import type { SessionClient } from './sessions/session.ts'
import { UsageStore } from './usage/usage.repository.ts'
import type { CountUse, FindLastUse } from './usage/usage.ts'

/** The stores of the management API: all on one transaction, or each statement on its own. */
export interface ManagementStores extends RunnerStores {
  readonly accounts: AccountStore
  readonly applicationKeys: RegisteredKeyStore
  readonly applications: ApplicationStore
  readonly activity: ActivityStore
  readonly auditChain: AuditChainReader
  readonly auditEntries: AuditEntryStore
  /** Store for applying a file. */
  readonly bootstrap: BootstrapStore
  readonly brandingFiles: BrandingFileStore
  readonly clientDocuments: ClientDocumentStore
  readonly clientRegistrations: ClientRegistrationStore
  readonly clientSecrets: ClientSecretStore
  readonly credentials: CredentialStore
  readonly doctor: DoctorStore
  readonly staticSecrets: StaticSecretStore
  readonly domains: DomainStore
  readonly factors: ManagedFactorStore
  readonly identityLinks: IdentityLinkStore
  readonly identityProviders: IdentityProviderStore
  readonly providerTests: ProviderTestStore
  readonly impersonations: ImpersonationStore
  readonly instance: InstanceStore
  readonly issuerTrusts: IssuerTrustStore
  readonly applicationIssuerTrusts: IssuerTrustStore
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
  readonly registrationTokens: RegistrationTokenStore
  readonly roleLists: RoleListStore
  readonly objectNames: ObjectNameStore
  readonly references: ReferenceStore
  readonly sealedValues: SealedValueStore
  readonly smtpSettings: SmtpSettingsStore
  readonly tokens: PersonalAccessTokenStore
  readonly totpSecrets: TotpSecretStore
  readonly usage: UsageStore
  readonly userGrants: UserGrantStore
}

export function managementStores(queryable: Queryable, sealing: CarriedSealing): ManagementStores {
  return {
    accounts: new AccountStore(queryable),
    applicationKeys: new RegisteredKeyStore(queryable, 'application_key'),
    applications: new ApplicationStore(queryable),
    activity: new ActivityStore(queryable),
    auditChain: new PostgresAuditChainReader(queryable),
    auditEntries: new AuditEntryStore(queryable),
    bootstrap: new BootstrapStore(queryable),
    clientDocuments: new ClientDocumentStore(queryable),
    clientRegistrations: new ClientRegistrationStore(queryable),
    clientSecrets: new ClientSecretStore(queryable),
    credentials: new CredentialStore(queryable),
    doctor: new DoctorStore(queryable),
    staticSecrets: new StaticSecretStore(queryable),
    brandingFiles: new BrandingFileStore(queryable),
    domains: new DomainStore(queryable),
    factors: new ManagedFactorStore(queryable),
    idempotency: new IdempotencyStore(queryable),
    identityLinks: new IdentityLinkStore(queryable),
    identityProviders: new IdentityProviderStore(queryable),
    providerTests: new ProviderTestStore(queryable),
    impersonations: new ImpersonationStore(queryable),
    instance: new InstanceStore(queryable),
    issuerTrusts: new IssuerTrustStore(queryable, 'issuer_trust'),
    applicationIssuerTrusts: new IssuerTrustStore(queryable, 'application_issuer_trust'),
    machineKeys: new RegisteredKeyStore(queryable, 'machine_key'),
    organizationMetadata: new MetadataStore(queryable, 'organization_metadata'),
    userMetadata: new MetadataStore(queryable, 'user_metadata'),
    mail: new MailStore(queryable, sealing.masterKeys),
    loginTexts: new LoginTextStore(queryable),
    messageTexts: new MessageTextStore(queryable, sealing),
    members: new MemberStore(queryable),
    offeredRoles: new OfferedRoleStore(queryable),
    organizations: new OrganizationStore(queryable),
    passkeys: new ManagedPasskeyStore(queryable),
    recoveryCodes: new ManagedRecoveryCodeStore(queryable),
    scopes: new ResourceScopeStore(queryable),
    policies: new PolicyStore(queryable),
    projectGrants: new ProjectGrantStore(queryable),
    projectRoles: new ProjectRoleStore(queryable),
    projects: new ProjectStore(queryable),
    registrationTokens: new RegistrationTokenStore(queryable),
    roleLists: new RoleListStore(queryable),
    objectNames: new ObjectNameStore(queryable),
    references: new ReferenceStore(queryable),
    sealedValues: new SealedValueStore(queryable),
    smtpSettings: new SmtpSettingsStore(queryable),
    tokens: new PersonalAccessTokenStore(queryable),
    totpSecrets: new TotpSecretStore(queryable),
    usage: new UsageStore(queryable),
    userGrants: new UserGrantStore(queryable),
    record: (event) => auditTable.record(queryable, event),
    lock: (kind, id) => lockObject(queryable, kind, id),
  }
}

export function createManagementTransactions(
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
  readonly previewTokens: PreviewTokens
  readonly countUse: CountUse
  readonly findLastUse: FindLastUse
  /** Whether clients register themselves (RFC 7591). */
  readonly registersClients: boolean
  /** Whether a client may be the URL of its document. */
  readonly takesClientDocuments: boolean
  readonly refusals: RefusalStore
  readonly attemptKeys: AttemptKeys
  readonly explainSignIn: ExplainSignIn
  readonly previewSignInPage: PreviewSignInPage
  readonly resetFailures: ResetFailures
  readonly checkPassword: CheckPassword
  /** The SMTP server of the instance, if there is one. */
  readonly instanceSmtp: SmtpServer | undefined
  readonly sendTestMail: SendTestMail
  /** Reads the metadata of identity providers. */
  readonly getMetadata: GetText
}
