import type { AuditEvent } from '@signet/admin-api/audit/audit-event'
import type { BootstrapStores } from '../bootstrap/bootstrap-stores.ts'
import type { AccountStore } from '../stores/account-store.ts'
import type { ApplicationStore } from '../stores/application-store.ts'
import type { AuditEntryStore } from '../stores/audit-entry-store.ts'
import type { CredentialWriting } from '../stores/bootstrap-credentials.ts'
import type { ClientSecretStore } from '../stores/client-secret-store.ts'
import type { CredentialStore } from '../stores/credential-store.ts'
import type { DoctorStore } from '../stores/doctor-store.ts'
import type { DomainStore } from '../stores/domain-store.ts'
import type { IdempotencyStore } from '../stores/idempotency-store.ts'
import type { InstanceStore } from '../stores/instance-store.ts'
import type { MemberStore } from '../stores/member-store.ts'
import type { MetadataStore } from '../stores/metadata-store.ts'
import type { OfferedRoleStore } from '../stores/offered-role-store.ts'
import type { OrganizationStore } from '../stores/organization-store.ts'
import type { PersonalAccessTokenStore } from '../stores/personal-access-token-store.ts'
import type { PlaceStore } from '../stores/place-store.ts'
import type { PolicyStore } from '../stores/policy-store.ts'
import type { ProjectGrantStore } from '../stores/project-grant-store.ts'
import type { ProjectRoleStore } from '../stores/project-role-store.ts'
import type { ProjectStore } from '../stores/project-store.ts'
import type { RegisteredKeyStore } from '../stores/registered-key-store.ts'
import type { TotpSecretStore } from '../stores/totp-secret-store.ts'
import type { UserGrantStore } from '../stores/user-grant-store.ts'

/** The stores of the management API: all on one transaction, or each statement on its own. */
export interface ManagementStores {
  readonly accounts: AccountStore
  readonly applicationKeys: RegisteredKeyStore
  readonly applications: ApplicationStore
  readonly auditEntries: AuditEntryStore
  /** For applying a file. */
  readonly bootstrap: (writing: CredentialWriting) => BootstrapStores
  readonly clientSecrets: ClientSecretStore
  readonly credentials: CredentialStore
  readonly doctor: DoctorStore
  readonly domains: DomainStore
  readonly idempotency: IdempotencyStore
  readonly instance: InstanceStore
  readonly machineKeys: RegisteredKeyStore
  readonly organizationMetadata: MetadataStore
  readonly userMetadata: MetadataStore
  readonly members: MemberStore
  readonly offeredRoles: OfferedRoleStore
  readonly organizations: OrganizationStore
  readonly places: PlaceStore
  readonly policies: PolicyStore
  readonly projectGrants: ProjectGrantStore
  readonly projectRoles: ProjectRoleStore
  readonly projects: ProjectStore
  readonly tokens: PersonalAccessTokenStore
  readonly totpSecrets: TotpSecretStore
  readonly userGrants: UserGrantStore
  record(event: AuditEvent): Promise<void>
  /** Waits until no other transaction holds the lock of the object, and holds it until this one ends. */
  lock(kind: string, id: string): Promise<void>
}

/**
 * Commits what `work` did when it resolves, and nothing when it throws. Rejects with ApiError ALREADY_EXISTS, naming
 * field and rule, when something stored stands in the way.
 */
export type Transact = <Result>(work: (stores: ManagementStores) => Promise<Result>) => Promise<Result>
