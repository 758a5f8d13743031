// A key of Signet at a SAML provider is replaced in two steps: while there are two, the provider gets to know the next one.
import { ApiError } from '@signet/admin-api/api-error'
import { invalidFields } from '@signet/admin-api/json-error-handler'
import type { ManagementCall, Tools } from '../api/management-call.ts'
import { type ProviderStores, shown } from './change-provider.ts'
import type { IdentityProvider, StoredProvider } from './identity-provider.ts'
import type { Reads } from './identity-providers.service.ts'
import { MOST_OWN_KEYS, makeOwnKey, needsOwnKey, openOwnKeys, sealOwnKeys } from './own-keys.ts'
import { requireProvider } from './require-provider.ts'

interface Target {
  readonly providerId: string
}

/** Makes another key. It decrypts, and the metadata has it; the oldest key goes on signing requests. */
export async function addOwnKey(
  call: ManagementCall<ProviderStores>,
  { providerId }: Target,
  { stores, now, ...sealing }: Pick<Tools, 'masterKeys' | 'now' | 'random'> & Reads,
): Promise<IdentityProvider> {
  requirePlace(await requireProvider(stores.identityProviders, providerId))
  const { certificate, privateKey } = await makeOwnKey(now(), sealing.random)
  return call.change(async ({ identityProviders }) => {
    const provider = await requireProvider(identityProviders, providerId)
    requirePlace(provider)
    const before = openOwnKeys(providerId, provider.sealedOwnKeys, sealing.masterKeys)
    const after = {
      ownCertificates: [...provider.ownCertificates, certificate],
      sealedOwnKeys: sealOwnKeys(providerId, [...before, privateKey], sealing),
    }
    await identityProviders.update(providerId, { ...provider, ...after }, now())
    return { result: shown(await requireProvider(identityProviders, providerId)) }
  })
}

/** Deletes the oldest key. Assertions that are encrypted for it are refused from then on, and the next one signs requests. */
export function retireOwnKey(
  call: ManagementCall<ProviderStores>,
  { providerId }: Target,
  { now, ...sealing }: Pick<Tools, 'masterKeys' | 'now' | 'random'>,
): Promise<IdentityProvider> {
  return call.change(async ({ identityProviders }) => {
    const provider = await requireProvider(identityProviders, providerId)
    requireSaml(provider)
    const [, ...ownCertificates] = provider.ownCertificates
    if (ownCertificates.length === 0 && needsOwnKey(provider)) {
      throw new ApiError('FAILED_PRECONDITION', 'the provider has no other key; add one first', {
        reason: 'own_key_needed',
      })
    }
    const { sealedOwnKeys: sealed } = provider
    // The last key goes also where no master key opens it.
    const kept =
      ownCertificates.length === 0 ? [] : openOwnKeys(providerId, sealed, sealing.masterKeys).slice(1)
    const after = { ownCertificates, sealedOwnKeys: sealOwnKeys(providerId, kept, sealing) }
    await identityProviders.update(providerId, { ...provider, ...after }, now())
    return { result: shown(await requireProvider(identityProviders, providerId)) }
  })
}

/** Requires a provider of SAML that may have another key. */
function requirePlace(provider: StoredProvider): void {
  requireSaml(provider)
  if (provider.ownCertificates.length < MOST_OWN_KEYS) return
  throw new ApiError(
    'FAILED_PRECONDITION',
    `the provider has ${MOST_OWN_KEYS} keys; retire the oldest first`,
    { reason: 'own_keys_exhausted' },
  )
}

function requireSaml({ type }: StoredProvider): void {
  if (type === 'saml') return
  throw invalidFields([{ field: 'providerId', rule: 'must be a provider of type saml' }])
}
