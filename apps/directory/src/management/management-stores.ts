import type { AuditEvent } from '@signet/admin-api/audit/audit-trail'
import type { AccountStore } from '../accounts/account.repository.ts'
import type { TotpSecretStore } from '../accounts/totp-secret.repository.ts'
import type { ApplicationStore } from '../applications/application.repository.ts'
import type { AuditEntryStore } from '../audit/audit-entry.repository.ts'
import type { BootstrapStore } from '../bootstrap/bootstrap.repository.ts'
import type { ClientSecretStore } from '../credentials/client-secret.repository.ts'
import type { CredentialStore } from '../credentials/credential.repository.ts'
import type { PersonalAccessTokenStore } from '../credentials/personal-access-token.repository.ts'
import type { RegisteredKeyStore } from '../credentials/registered-key.repository.ts'
import type { DoctorStore } from '../doctor/doctor.repository.ts'
import type { UserGrantStore } from '../grants/user-grant.repository.ts'
import type { InstanceStore } from '../instance/instance.repository.ts'
import type { MemberStore } from '../members/member.repository.ts'
import type { OfferedRoleStore } from '../members/offered-role.repository.ts'
import type { MetadataStore } from '../metadata/metadata.repository.ts'
import type { DomainStore } from '../organizations/domain.repository.ts'
import type { OrganizationStore } from '../organizations/organization.repository.ts'
import type { PolicyStore } from '../organizations/policy.repository.ts'
import type { PlaceStore } from '../permissions/place.repository.ts'
import type { ProjectStore } from '../projects/project.repository.ts'
import type { ProjectGrantStore } from '../projects/project-grant.repository.ts'
import type { ProjectRoleStore } from '../projects/project-role.repository.ts'
import type { IdempotencyStore } from './idempotency.repository.ts'

/** The stores of the management API: all on one transaction, or each statement on its own. */
export interface ManagementStores {
  readonly accounts: AccountStore
  readonly applicationKeys: RegisteredKeyStore
  readonly applications: ApplicationStore
  readonly auditEntries: AuditEntryStore
  /** For applying a file. */
  readonly bootstrap: BootstrapStore
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
