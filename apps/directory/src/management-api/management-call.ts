import type { AuditEvent, AuditTarget, ValueChanges } from '@signet/admin-api/audit/audit-table'
import type { Caller } from '@signet/admin-api/caller'
import type { PasswordHasher } from '@signet/password-hash/password-hasher'
import type { Clock } from '@signet/platform/runtime/clock'
import type { RandomBytes } from '@signet/tokens/identifiers'
import type { AccountStore } from '../accounts/account.repository.ts'
import type { ResetFailures } from '../accounts/account.ts'
import type { TotpSecretStore } from '../accounts/totp-secret.repository.ts'
import type { ApplicationStore } from '../applications/application.repository.ts'
import type { AuditChainReader } from '../audit/audit-chain.ts'
import type { AuditEntryStore } from '../audit/audit-entry.repository.ts'
import type { BootstrapStore } from '../bootstrap/bootstrap.repository.ts'
import type { ClientSecretStore } from '../credentials/client-secret.repository.ts'
import type { CredentialStore } from '../credentials/credential.repository.ts'
import type { ManagedPasskeyStore } from '../credentials/passkeys/passkey.repository.ts'
import type { CheckPassword } from '../credentials/password-policy.ts'
import type { PersonalAccessTokenStore } from '../credentials/personal-access-token.repository.ts'
import type { ManagedRecoveryCodeStore } from '../credentials/recovery-codes/recovery-code.repository.ts'
import type { RegisteredKeyStore } from '../credentials/registered-key.repository.ts'
import type { DoctorStore } from '../doctor/doctor.repository.ts'
import type { Epoch } from '../epochs/epoch.ts'
import type { UserGrantStore } from '../grants/user-grant.repository.ts'
import type { InstanceStore } from '../instance/instance.repository.ts'
import type { LoginTextStore } from '../login-texts/login-text.repository.ts'
import type { MailStore } from '../mail/mail.repository.ts'
import type { MessageTextStore } from '../mail/message-text.repository.ts'
import type { SmtpServer } from '../mail/smtp.ts'
import type { SmtpSettingsStore } from '../mail/smtp-settings.repository.ts'
import type { SendTestMail } from '../mail/test-mail.ts'
import type { MemberStore } from '../members/member.repository.ts'
import type { OfferedRoleStore } from '../members/offered-role.repository.ts'
import type { MetadataStore } from '../metadata/metadata.repository.ts'
import type { BrandingFileStore } from '../organizations/branding-file.repository.ts'
import type { DomainStore } from '../organizations/domain.repository.ts'
import type { OrganizationStore } from '../organizations/organization.repository.ts'
import type { PolicyStore } from '../organizations/policy.repository.ts'
import type { ResourceScopeStore } from '../permissions/resource-scope.repository.ts'
import type { ProjectStore } from '../projects/project.repository.ts'
import type { ProjectGrantStore } from '../projects/project-grant.repository.ts'
import type { ProjectRoleStore } from '../projects/project-role.repository.ts'
import type { SealedValueStore } from '../sealing/sealed-value.repository.ts'
import type { SessionClient } from '../sessions/session.ts'
import type { IdempotencyStore } from './idempotency.repository.ts'

/** Something that happened to an object, without who did it. */
export type CallEvent = Pick<AuditEvent, 'action' | 'organizationId' | 'details'> & {
  readonly target: AuditTarget
}

/** The effects of a change. */
export interface Change<Result> {
  /** The body of the response. */
  readonly result: Result
  /** For the audit log: names of fields, states, roles; never text that a user typed. */
  readonly details?: AuditEvent['details']
  /** The epochs to publish before the response is sent. */
  readonly epochs?: readonly Epoch[]
  /** Further events for the audit log, with the caller as actor. */
  readonly events?: readonly CallEvent[]
}

/** The context of a use case of the management API. The caller's permission is checked. */
export interface ManagementCall {
  readonly caller: Caller
  /** Where the call comes from. */
  readonly clientAddress: string
  /** The id of the target; for a creation the id that the new object gets. */
  readonly targetId: string
  /**
   * Runs `work` in a transaction that also holds the audit event, the response stored for a repetition under the same
   * idempotency key, and a lock on the target, so that changes of one object follow one another. Resolves when the
   * epochs are published. A repeated call gets the first response without `work`.
   */
  change<Result>(work: (stores: ManagementStores) => Promise<Change<Result>>): Promise<Result>
}

/** The dependencies of the use cases of the management API; each names its own part of it. */
export interface ManagementServices {
  /** For reads; changes get their stores from the call. */
  readonly stores: ManagementStores
  readonly sessions: SessionClient
  readonly resetFailures: ResetFailures
  readonly hasher: PasswordHasher
  readonly checkPassword: CheckPassword
  /** Encrypt stored values that only this service may read. */
  readonly masterKeys: readonly Buffer[]
  readonly issuer: string
  /** The relying party of passkeys; undefined: there are no passkeys. */
  readonly rpId: string | undefined
  /** The SMTP server of the instance, if there is one. */
  readonly instanceSmtp: SmtpServer | undefined
  readonly sendTestMail: SendTestMail
  readonly newId: () => string
  readonly now: Clock
  readonly random: RandomBytes
}

/**
 * The details of a change in the audit log: the names of the fields, and the state, whose values are an enum.
 */
export function changedFields(changes: object): {
  readonly fields: readonly string[]
  readonly state?: string
} {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined)
  const [, state] = given.find(([name]) => name === 'state') ?? []
  return { fields: given.map(([name]) => name), ...(typeof state === 'string' && { state }) }
}

/** The settings whose values differ, for the audit log. Members without a value count as null. */
export function changedValues(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): ValueChanges {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const values = names.map((name) => [name, { old: before[name] ?? null, new: after[name] ?? null }] as const)
  return Object.fromEntries(
    values.filter(([, change]) => JSON.stringify(change.old) !== JSON.stringify(change.new)),
  )
}

/** The stores of the management API: all on one transaction, or each statement on its own. */
export interface ManagementStores {
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
  readonly idempotency: IdempotencyStore
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
  record(event: AuditEvent): Promise<void>
  /** Waits until no other transaction holds the lock of the object, and holds it until this one ends. */
  lock(kind: string, id: string): Promise<void>
}

/**
 * Commits what `work` did when it resolves, and nothing when it throws. Rejects with ApiError ALREADY_EXISTS, naming
 * field and rule, when something stored stands in the way.
 */
export type Transact = <Result>(work: (stores: ManagementStores) => Promise<Result>) => Promise<Result>
