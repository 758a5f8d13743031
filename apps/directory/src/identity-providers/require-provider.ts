import { ApiError } from '@signet/admin-api/api-error'
import type { IdentityProviderStore } from './identity-provider.repository.ts'
import type { StoredProvider } from './identity-provider.ts'

/** Returns a provider. Rejects with ApiError where there is none. */
export async function requireProvider(
  identityProviders: IdentityProviderStore,
  id: string,
): Promise<StoredProvider> {
  const provider = await identityProviders.find(id)
  if (provider !== undefined) return provider
  throw unknownProvider()
}

/** The same for a change that depends on what is stored: of two at once, the second reads what the first wrote. */
export async function requireLockedProvider(
  identityProviders: IdentityProviderStore,
  id: string,
): Promise<StoredProvider> {
  const provider = await identityProviders.findLocked(id)
  if (provider !== undefined) return provider
  throw unknownProvider()
}

const unknownProvider = () =>
  new ApiError('NOT_FOUND', 'there is no identity provider with this id', {
    reason: 'identity_provider_unknown',
  })
