import { ApiError } from '@signet/admin-api/api-error'
import type { IdentityProviderStore } from './identity-provider.repository.ts'
import type { FoundProvider } from './identity-provider.ts'

/** Returns a provider. Rejects with ApiError where there is none. */
export async function requireProvider(
  identityProviders: IdentityProviderStore,
  id: string,
): Promise<FoundProvider> {
  const provider = await identityProviders.find(id)
  if (provider !== undefined) return provider
  throw new ApiError('NOT_FOUND', 'there is no identity provider with this id', {
    reason: 'identity_provider_unknown',
  })
}
