// The rules of every change of a provider.
import { invalidFields } from '@signet/admin-api/json-error-handler'
import { requireRole, roleMissing } from '@signet/admin-api/require-role'
import { requireMayTrustDomains } from '../accounts/address-rules.ts'
import { changedFields, changedValues, type ManagementCall, type Tools } from '../api/management-call.ts'
import type { DomainStore } from '../organizations/domain.repository.ts'
import { mayChangeAccount } from '../permissions/authority.ts'
import { managesInstance } from '../permissions/permission.ts'
import type { IdentityProviderStore } from './identity-provider.repository.ts'
import {
  DECIDING_MEMBERS,
  type FoundProvider,
  type IdentityProvider,
  type StoredProvider,
} from './identity-provider.ts'
import {
  type CheckedProvider,
  type GivenSettings,
  problemsOfProvider,
  withoutUndefined,
  withPublicJwk,
  withStoredForm,
} from './new-provider.ts'
import { type OwnKey, withOwnKey } from './own-keys.ts'
import { requireProvider } from './require-provider.ts'

export interface ProviderStores {
  readonly domains: DomainStore
  readonly identityProviders: IdentityProviderStore
}

export type Sealing = Pick<Tools, 'masterKeys' | 'random'>

interface ProviderChange {
  readonly changes: GivenSettings
  readonly sealedSecret: Buffer | null
  /** Null: the secret is taken away; undefined: it stays. */
  readonly givenSecret?: string | null | undefined
  readonly at: Date
  readonly sealing: Sealing
  /** A key of Signet at the provider, which is stored where the settings need one. */
  readonly made?: OwnKey | undefined
  /** The members that the audit log names, where they are others than the changed settings. */
  readonly named?: object
}

/** Stores a change of a provider whose caller may manage it, under the rules of every change. */
export async function changeProvider(
  call: ManagementCall<ProviderStores>,
  { domains, identityProviders }: ProviderStores,
  before: FoundProvider,
  { changes, sealedSecret, givenSecret, at, sealing, made, named = changes }: ProviderChange,
) {
  const { id, organizationId, type, roleMappings: known, providerInitiatedClientId: knownClientId } = before
  const changed = withStoredForm({ ...before, ...withoutUndefined(changes) })
  const settings = givenSecret === undefined ? changed : withPublicJwk(changed, givenSecret)
  await requireValid(identityProviders, {
    ...{ organizationId, type, settings, sealedSecret, givenSecret, known, knownClientId },
  })
  const trusted = settings.trustedEmailDomains.filter((name) => !before.trustedEmailDomains.includes(name))
  await requireMayTrustDomains(call.caller, domains, organizationId, trusted)
  requireMayTakeAssertionsAt(call.caller, settings, before)
  const decides = DECIDING_MEMBERS.some(
    (name) => JSON.stringify(settings[name]) !== JSON.stringify(before[name]),
  )
  if (decides) await requireReachOfLinked(call, identityProviders, id)
  const after = await withOwnKey(id, settings, { ...sealing, now: () => at, made })
  await identityProviders.update(id, { ...after, sealedSecret }, at)
  const result = shown(await requireProvider(identityProviders, id))
  const values = changedValues(settingsOf(shown(before)), settingsOf(result))
  return { result, details: { ...changedFields(named), changes: values } }
}

/** Throws ApiError, which names the rules that the provider breaks. */
export async function requireValid(
  identityProviders: IdentityProviderStore,
  checked: CheckedProvider,
): Promise<void> {
  const problems = await problemsOfProvider(identityProviders, checked)
  if (problems.length > 0) throw invalidFields(problems)
}

/**
 * Throws ApiError PERMISSION_DENIED when a caller below IAM_OWNER chooses the path of assertions: it is one for the whole instance, and an
 * organization could take the one that the partner of another one calls.
 */
export function requireMayTakeAssertionsAt(
  caller: ManagementCall<ProviderStores>['caller'],
  { assertionConsumerPath: path }: Pick<StoredProvider, 'assertionConsumerPath'>,
  before?: Pick<StoredProvider, 'assertionConsumerPath'>,
): void {
  if (path === null || path === before?.assertionConsumerPath) return
  requireRole(caller, managesInstance())
}

/** Throws ApiError PERMISSION_DENIED when the roles of a person with a link reach further than those of the caller. */
export async function requireReachOfLinked(
  { caller }: ManagementCall<ProviderStores>,
  identityProviders: IdentityProviderStore,
  providerId: string,
): Promise<void> {
  const roles = await identityProviders.rolesOfLinked(providerId)
  if (mayChangeAccount(caller.roles, roles)) return
  requireRole(caller, managesInstance())
  throw roleMissing(managesInstance())
}

export const shown = ({
  sealedSecret,
  sealedOwnKeys: _keys,
  ...provider
}: FoundProvider): IdentityProvider => ({
  ...provider,
  hasSecret: sealedSecret !== null,
})

const settingsOf = ({ createdAt, changedAt, usable, lastUsedOn, ...settings }: IdentityProvider) => settings
