import type { PasswordHasher } from '@signet/password-hash/password-hasher'
import type { Clock } from '@signet/platform/runtime/clock'
import type { RandomBytes } from '@signet/tokens/identifiers'
import type { AccountStore } from '../accounts/account.repository.ts'
import type { TotpSecretStore } from '../accounts/totp-secret.repository.ts'
import type { ApplicationStore } from '../applications/application.repository.ts'
import type { ClientSecretStore } from '../credentials/client-secret.repository.ts'
import type { IssuerTrustStore } from '../credentials/issuer-trust.repository.ts'
import type { PersonalAccessTokenStore } from '../credentials/personal-access-token.repository.ts'
import type { RegisteredKeyStore } from '../credentials/registered-key.repository.ts'
import type { UserGrantStore } from '../grants/user-grant.repository.ts'
import type { IdentityProviderStore } from '../identity-providers/identity-provider.repository.ts'
import type { InstanceStore } from '../instance/instance.repository.ts'
import type { MetadataStore } from '../metadata/metadata.repository.ts'
import type { DomainStore } from '../organizations/domain.repository.ts'
import type { OrganizationStore } from '../organizations/organization.repository.ts'
import type { PolicyStore } from '../organizations/policy.repository.ts'
import type { MemberStore } from '../permissions/member.repository.ts'
import type { ProjectStore } from '../projects/project.repository.ts'
import type { ProjectRoleStore } from '../projects/project-role.repository.ts'
import type { BootstrapStore } from './bootstrap.repository.ts'
import type { DeclaredResource } from './declared-resources.ts'

/** An object with the ids of everything above it settled. */
export interface ResolvedResource {
  readonly declared: DeclaredResource
  readonly id: string
  readonly parent?: ResolvedResource
}

/** Fields by the names of the file. */
export type Fields = Readonly<Record<string, unknown>>

/**
 * Writes one kind of object through the stores of the management API. Throws ObjectConflict when the database cannot
 * take it. `Values` are the fields that the file can give.
 */
export interface ObjectWriter<Values extends object = Fields> {
  /**
   * The stored fields, at least those that are `changed`; undefined when the object is absent, `elsewhere` when the id
   * belongs to an object with another owner.
   */
  find(object: ResolvedResource, changed: readonly string[]): Promise<object | 'elsewhere' | undefined>
  /** Makes it with the values of the file and the defaults for the rest. */
  create(object: ResolvedResource, values: Values): Promise<void>
  update(object: ResolvedResource, values: Partial<Values>, stored: Values): Promise<void>
  /** The values in force, of settings whose changes the audit log holds with old and new value. No secrets. */
  inForce?(object: ResolvedResource): Promise<Fields>
}

/** The stores of the objects of a file. */
export interface BootstrapStores {
  readonly accounts: AccountStore
  readonly applicationKeys: RegisteredKeyStore
  readonly applications: ApplicationStore
  readonly bootstrap: BootstrapStore
  readonly clientSecrets: ClientSecretStore
  readonly domains: DomainStore
  readonly identityProviders: IdentityProviderStore
  readonly instance: InstanceStore
  readonly issuerTrusts: IssuerTrustStore
  readonly applicationIssuerTrusts: IssuerTrustStore
  readonly machineKeys: RegisteredKeyStore
  readonly members: MemberStore
  readonly organizations: OrganizationStore
  readonly policies: PolicyStore
  readonly projectRoles: ProjectRoleStore
  readonly projects: ProjectStore
  readonly tokens: PersonalAccessTokenStore
  readonly totpSecrets: TotpSecretStore
  readonly userGrants: UserGrantStore
  readonly userMetadata: MetadataStore
  lock(kind: string, id: string): Promise<void>
}

/** The dependencies of the writers besides the stores. */
export interface ObjectWriting {
  readonly hasher: PasswordHasher
  readonly masterKeys: readonly Buffer[]
  readonly now: Clock
  readonly random: RandomBytes
  readonly newId: () => string
  /** Writes a file that only its owner may read. Throws ObjectConflict when it cannot. */
  readonly writeSecretFile: (path: string, content: string) => Promise<void>
}

/** Error of an object that the database refused; `member` is set when one of its members is to blame. */
export class ObjectConflict extends Error {
  override readonly name = 'ObjectConflict'
  readonly member: string | undefined

  constructor(message: string, { member, cause }: { member?: string; cause?: unknown } = {}) {
    super(message, { cause })
    this.member = member
  }
}

/** The id of the object that this one belongs to. */
export function ownerId({ declared, parent }: ResolvedResource): string {
  if (parent === undefined) throw new Error(`${declared.path} has no owner`)
  return parent.id
}
