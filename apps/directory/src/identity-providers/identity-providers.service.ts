import { ApiError } from '@signet/admin-api/api-error'
import { invalidFields } from '@signet/admin-api/json-error-handler'
import { requireRole, roleMissing } from '@signet/admin-api/require-role'
import { requireMayTrustDomains } from '../accounts/address-rules.ts'
import { changedFields, changedValues, type ManagementCall, type Tools } from '../api/management-call.ts'
import type { DomainStore } from '../organizations/domain.repository.ts'
import { mayChangeAccount } from '../permissions/authority.ts'
import { managesInstance } from '../permissions/permission.ts'
import type { Page, PageRequest } from '../schema/paging.ts'
import type { IdentityProviderStore } from './identity-provider.repository.ts'
import {
  type IdentityProvider,
  MOST_PROVIDERS,
  type ProviderType,
  type StoredProvider,
} from './identity-provider.ts'
import {
  type CheckedProvider,
  type GivenSettings,
  newProviderSettings,
  problemsOfProvider,
  SECRET_OF_ISSUER,
  sealSecret,
  withoutUndefined,
  withStoredForm,
} from './new-provider.ts'
import type { PresetName } from './presets.ts'

interface Stores {
  readonly domains: DomainStore
  readonly identityProviders: IdentityProviderStore
}

/** The stores for reading; changes get theirs from the call. */
interface Reads {
  readonly stores: Stores
}

interface Target {
  readonly providerId: string
}

type Sealing = Pick<Tools, 'masterKeys' | 'random'>

type Given = GivenSettings & { readonly clientSecret?: string | null | undefined }

export function listIdentityProviders(
  { seen }: ManagementCall<Stores>,
  { organizationId, ...request }: PageRequest & { readonly organizationId?: string | undefined },
  { stores }: Reads,
): Promise<Page<IdentityProvider>> {
  return stores.identityProviders.list(organizationId, request, seen)
}

export async function readIdentityProvider(
  _call: ManagementCall<Stores>,
  { providerId }: Target,
  { stores }: Reads,
): Promise<IdentityProvider> {
  return shown(await requireProvider(stores.identityProviders, providerId))
}

/** Adds a provider, with the defaults of its preset. */
export function createIdentityProvider(
  call: ManagementCall<Stores>,
  {
    organizationId,
    type = 'oidc',
    preset = null,
    clientSecret = null,
    ...given
  }: Given & {
    readonly type?: ProviderType | undefined
    readonly organizationId: string
    readonly preset?: PresetName | null | undefined
    readonly name: string
    readonly clientId: string
  },
  { now, ...sealing }: Pick<Tools, 'now'> & Sealing,
): Promise<IdentityProvider> {
  return call.change(async ({ domains, identityProviders }) => {
    const id = call.targetId
    const settings = newProviderSettings(type, preset, given)
    const sealedSecret = sealSecret(id, clientSecret, sealing)
    await requireValid(identityProviders, { organizationId, type, settings, sealedSecret })
    await requireMayTrustDomains(call.caller, domains, organizationId, settings.trustedEmailDomains)
    if ((await identityProviders.lockAndCount(organizationId)) >= MOST_PROVIDERS) {
      throw new ApiError('FAILED_PRECONDITION', `the organization has ${MOST_PROVIDERS}, which is the most`, {
        reason: 'identity_providers_exhausted',
      })
    }
    const times = { createdAt: now(), changedAt: now() }
    const provider: StoredProvider = {
      ...{ id, organizationId, type, preset, ...settings, sealedSecret, state: 'active', ...times },
    }
    await identityProviders.add(provider)
    return {
      result: shown(provider),
      details: changedFields({ ...given, type, preset: preset ?? undefined }),
    }
  })
}

/** Members whose change decides which identity an account belongs to, or what an identity is worth. */
const DECIDING = [
  ...['issuer', 'clientId', 'subjectClaim', 'requiredClaims', 'mappedClaims'],
  ...[
    'updatesProfile',
    'trustedEmailDomains',
    'trustsMethods',
    'ssoUrl',
    'certificates',
    'wantAssertionsSigned',
  ],
] as const

/**
 * Changes the named members; sign-ins obey them within a second. A stored secret goes to no other issuer than the one that it
 * was given for. A provider by which people sign in whose roles reach further than those of the caller keeps what decides who
 * they are.
 */
export function updateIdentityProvider(
  call: ManagementCall<Stores>,
  { providerId, ...changes }: Given & Target,
  { now, ...sealing }: Pick<Tools, 'now'> & Sealing,
): Promise<IdentityProvider> {
  return call.change(async ({ domains, identityProviders }) => {
    const before = await requireProvider(identityProviders, providerId)
    const { clientSecret, ...settings } = changes
    const after = withStoredForm({ ...before, ...withoutUndefined(settings) })
    if (after.issuer !== before.issuer && before.sealedSecret !== null && clientSecret === undefined) {
      throw invalidFields([{ field: 'clientSecret', rule: SECRET_OF_ISSUER }])
    }
    const sealedSecret =
      clientSecret === undefined ? before.sealedSecret : sealSecret(providerId, clientSecret, sealing)
    const { organizationId, type } = before
    const known = before.roleMappings
    await requireValid(identityProviders, { organizationId, type, settings: after, sealedSecret, known })
    const trusted = after.trustedEmailDomains.filter((name) => !before.trustedEmailDomains.includes(name))
    await requireMayTrustDomains(call.caller, domains, before.organizationId, trusted)
    const decides = DECIDING.some((name) => JSON.stringify(after[name]) !== JSON.stringify(before[name]))
    if (decides) await requireReachOfLinked(call, identityProviders, providerId)
    await identityProviders.update(providerId, { ...after, sealedSecret }, now())
    const result = shown(await requireProvider(identityProviders, providerId))
    const values = changedValues(settingsOf(shown(before)), settingsOf(result))
    return { result, details: { ...changedFields(changes), changes: values } }
  })
}

export function activateIdentityProvider(
  call: ManagementCall<Stores>,
  { providerId }: Target,
  { now }: Pick<Tools, 'now'>,
): Promise<IdentityProvider> {
  return call.change(async ({ identityProviders }) => {
    const { organizationId, type, sealedSecret, ...settings } = await requireProvider(
      identityProviders,
      providerId,
    )
    // One that an import brought without its secret.
    const known = settings.roleMappings
    await requireValid(identityProviders, { organizationId, type, settings, sealedSecret, known })
    await identityProviders.setState(providerId, 'active', now())
    return { result: shown(await requireProvider(identityProviders, providerId)) }
  })
}

/** When it resolves, the provider signs no person in any more, and with `endSessions` all people with a link are signed out. */
export function deactivateIdentityProvider(
  call: ManagementCall<Stores>,
  { providerId, endSessions }: Target & { readonly endSessions: boolean },
  { now }: Pick<Tools, 'now'>,
): Promise<IdentityProvider> {
  return call.change(async ({ identityProviders }) => {
    await requireProvider(identityProviders, providerId)
    await identityProviders.setState(providerId, 'inactive', now())
    const epochs = endSessions ? await identityProviders.raiseEpochsOfLinked(providerId) : []
    const result = shown(await requireProvider(identityProviders, providerId))
    return { result, epochs, details: { end_sessions: endSessions, people: epochs.length } }
  })
}

/** Deletes a provider with its links, unless people would have no way in, which `force` allows. */
export function deleteIdentityProvider(
  call: ManagementCall<Stores>,
  { providerId, force }: Target & { readonly force: boolean },
  { rpId }: Pick<Tools, 'rpId'>,
): Promise<void> {
  return call.change(async ({ identityProviders }) => {
    await requireProvider(identityProviders, providerId)
    await requireReachOfLinked(call, identityProviders, providerId)
    const people = await identityProviders.peopleWithoutOtherWay(providerId, rpId)
    if (people > 0 && !force) {
      const who = people === 1 ? '1 person has' : `${people} people have`
      const rule = `${who} no other way to sign in; give one, or call with force=true`
      throw new ApiError('FAILED_PRECONDITION', rule, { reason: 'no_other_way_in' })
    }
    await identityProviders.delete(providerId)
    return { result: undefined, details: { people_without_other_way: people } }
  })
}

async function requireValid(
  identityProviders: IdentityProviderStore,
  checked: CheckedProvider,
): Promise<void> {
  const problems = await problemsOfProvider(identityProviders, checked)
  if (problems.length > 0) throw invalidFields(problems)
}

/** Throws ApiError PERMISSION_DENIED when the roles of a person with a link reach further than those of the caller. */
async function requireReachOfLinked(
  { caller }: ManagementCall<Stores>,
  identityProviders: IdentityProviderStore,
  providerId: string,
): Promise<void> {
  const roles = await identityProviders.rolesOfLinked(providerId)
  if (mayChangeAccount(caller.roles, roles)) return
  requireRole(caller, managesInstance())
  throw roleMissing(managesInstance())
}

async function requireProvider(
  identityProviders: IdentityProviderStore,
  id: string,
): Promise<StoredProvider> {
  const provider = await identityProviders.find(id)
  if (provider !== undefined) return provider
  throw new ApiError('NOT_FOUND', 'there is no identity provider with this id', {
    reason: 'identity_provider_unknown',
  })
}

const shown = ({ sealedSecret, ...provider }: StoredProvider): IdentityProvider => ({
  ...provider,
  hasSecret: sealedSecret !== null,
})

const settingsOf = ({ createdAt, changedAt, ...settings }: IdentityProvider) => settings
