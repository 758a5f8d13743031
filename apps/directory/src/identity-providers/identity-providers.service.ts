import { ApiError } from '@signet/admin-api/api-error'
import { invalidFields } from '@signet/admin-api/json-error-handler'
import type { ProviderType } from '@signet/protocol/identity-provider-types'
import { requireMayTrustDomains } from '../accounts/address-rules.ts'
import { changedFields, type ManagementCall, type Tools } from '../api/management-call.ts'
import type { Page, PageRequest } from '../schema/paging.ts'
import {
  changeProvider,
  type ProviderStores,
  requireMayTakeAssertionsAt,
  requireReachOfLinked,
  requireValid,
  type Sealing,
  shown,
} from './change-provider.ts'
import { type GivenMetadata, givenMetadata, type MetadataReader } from './given-metadata.ts'
import { PROVIDER_DEFAULTS } from './identity-provider.schema.ts'
import { type IdentityProvider, MOST_PROVIDERS, type StoredProvider } from './identity-provider.ts'
import {
  type GivenSettings,
  newProviderSettings,
  sealSecret,
  secretProblem,
  withoutUndefined,
  withPublicJwk,
} from './new-provider.ts'
import { makeOwnKey, NO_OWN_KEYS, needsOwnKey, type OwnKey, withOwnKey } from './own-keys.ts'
import type { PresetName } from './presets.ts'
import { requireProvider } from './require-provider.ts'
import type { SamlMetadata } from './saml-metadata.ts'

/** The stores for reading; changes get theirs from the call. */
export interface Reads {
  readonly stores: ProviderStores
}

interface Target {
  readonly providerId: string
}

type Given = GivenSettings & { readonly clientSecret?: string | null | undefined }

export function listIdentityProviders(
  { seen }: ManagementCall<ProviderStores>,
  { organizationId, ...request }: PageRequest & { readonly organizationId?: string | undefined },
  { stores }: Reads,
): Promise<Page<IdentityProvider>> {
  return stores.identityProviders.list(organizationId, request, seen)
}

export async function readIdentityProvider(
  _call: ManagementCall<ProviderStores>,
  { providerId }: Target,
  { stores }: Reads,
): Promise<IdentityProvider> {
  return shown(await requireProvider(stores.identityProviders, providerId))
}

/** Adds a provider, with the defaults of its preset. */
export async function createIdentityProvider(
  call: ManagementCall<ProviderStores>,
  {
    organizationId,
    type = 'oidc',
    preset = null,
    clientSecret = null,
    metadata,
    metadataUrl,
    ...members
  }: Given &
    GivenMetadata & {
      readonly type?: ProviderType | undefined
      readonly organizationId: string
      readonly preset?: PresetName | null | undefined
      readonly name: string
      readonly clientId: string
    },
  services: Pick<Tools, 'now'> & Sealing & MetadataReader,
): Promise<IdentityProvider> {
  const { now } = services
  const read = await metadataFor(type, members, givenMetadata({ metadata, metadataUrl }, services))
  const given = { ...members, ...read }
  const made = type === 'saml' ? await neededKey(given, services) : undefined
  return call.change(async ({ domains, identityProviders }) => {
    const id = call.targetId
    const settings = withPublicJwk(newProviderSettings(type, preset, given), clientSecret)
    const sealedSecret = sealSecret(id, clientSecret, services)
    const checked = { organizationId, type, settings, sealedSecret, givenSecret: clientSecret }
    await requireValid(identityProviders, checked)
    await requireMayTrustDomains(call.caller, domains, organizationId, settings.trustedEmailDomains)
    requireMayTakeAssertionsAt(call.caller, settings)
    if ((await identityProviders.lockAndCount(organizationId)) >= MOST_PROVIDERS) {
      throw new ApiError('FAILED_PRECONDITION', `the organization has ${MOST_PROVIDERS}, which is the most`, {
        reason: 'identity_providers_exhausted',
      })
    }
    const times = { createdAt: now(), changedAt: now() }
    const provider: StoredProvider = await withOwnKey(
      id,
      {
        ...{ id, organizationId, type, preset, ...settings, sealedSecret, ...NO_OWN_KEYS },
        ...{ state: 'active', ...times },
      },
      { ...services, made },
    )
    await identityProviders.add(provider)
    return {
      result: shown(await requireProvider(identityProviders, id)),
      details: changedFields({ ...given, type, preset: preset ?? undefined }),
    }
  })
}

/** A key of Signet for settings that need one. */
async function neededKey(
  given: GivenSettings,
  { now, random }: Pick<Tools, 'now' | 'random'>,
): Promise<OwnKey | undefined> {
  const settings = { ...PROVIDER_DEFAULTS, ...withoutUndefined(given) }
  return needsOwnKey(settings) ? makeOwnKey(now(), random) : undefined
}

const OF_METADATA = ['issuer', 'ssoUrl', 'sloUrl', 'certificates'] as const

/** The members that metadata gives a new provider, which names none of them itself. */
async function metadataFor(
  type: ProviderType,
  given: GivenSettings,
  reading: Promise<SamlMetadata | undefined>,
): Promise<Pick<GivenSettings, (typeof OF_METADATA)[number]> | undefined> {
  const read = await reading
  if (read === undefined) return undefined
  const twice = OF_METADATA.filter((field) => given[field] !== undefined && read[field] !== undefined)
  const rule = 'must be left out: the metadata has it'
  if (twice.length > 0) throw invalidFields(twice.map((field) => ({ field, rule })))
  if (type !== 'saml') throw invalidFields([{ field: 'type', rule: 'must be saml with metadata' }])
  const { issuer, ssoUrl, sloUrl, certificates } = read
  return { issuer, ssoUrl, sloUrl: sloUrl ?? given.sloUrl, certificates }
}

/**
 * Changes the named members; sign-ins obey them within a second. A stored secret goes to no other issuer than the one that it
 * was given for. A provider by which people sign in whose roles reach further than those of the caller keeps what decides who
 * they are.
 */
export async function updateIdentityProvider(
  call: ManagementCall<ProviderStores>,
  { providerId, ...changes }: Given & Target,
  { stores, now, ...sealing }: Pick<Tools, 'now'> & Sealing & Reads,
): Promise<IdentityProvider> {
  const stored = await requireProvider(stores.identityProviders, providerId)
  const mayNeedKey = stored.type === 'saml' && stored.ownCertificates.length === 0
  const after = { ...stored, ...withoutUndefined(changes) }
  const made = mayNeedKey ? await neededKey(after, { now, ...sealing }) : undefined
  return call.change(async ({ domains, identityProviders }) => {
    const before = await requireProvider(identityProviders, providerId)
    const { clientSecret, ...settings } = changes
    const rule = secretProblem(before, { ...before, ...withoutUndefined(settings) })
    if (rule !== undefined && before.sealedSecret !== null && clientSecret === undefined) {
      throw invalidFields([{ field: 'clientSecret', rule }])
    }
    const sealedSecret =
      clientSecret === undefined ? before.sealedSecret : sealSecret(providerId, clientSecret, sealing)
    return changeProvider(call, { domains, identityProviders }, before, {
      ...{ changes: settings, sealedSecret, givenSecret: clientSecret, at: now(), sealing, named: changes },
      made,
    })
  })
}

export function activateIdentityProvider(
  call: ManagementCall<ProviderStores>,
  { providerId }: Target,
  { now }: Pick<Tools, 'now'>,
): Promise<IdentityProvider> {
  return call.change(async ({ identityProviders }) => {
    const { organizationId, type, sealedSecret, ...settings } = await requireProvider(
      identityProviders,
      providerId,
    )
    // One that an import brought without its secret.
    const { roleMappings: known, providerInitiatedClientId: knownClientId } = settings
    await requireValid(identityProviders, {
      ...{ organizationId, type, settings, sealedSecret, known, knownClientId },
    })
    await identityProviders.setState(providerId, 'active', now())
    return { result: shown(await requireProvider(identityProviders, providerId)) }
  })
}

/** When it resolves, the provider signs no person in any more, and with `endSessions` all people with a link are signed out. */
export function deactivateIdentityProvider(
  call: ManagementCall<ProviderStores>,
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
  call: ManagementCall<ProviderStores>,
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
