// The way of a browser to the sign-out at a provider: OpenID Connect RP-Initiated Logout 1.0 section 2.
import { identityProviderLogoutReturn } from '@signet/protocol/identity-provider-callback'
import type { AtPlace } from './places.ts'
import type { FindProvider } from './provider.ts'
import { type ProviderDocuments, requireTlsEndpoint } from './provider-documents.ts'
import { Refused } from './refusal.ts'

interface BeginLogoutParts {
  readonly issuer: string
  readonly findProvider: FindProvider
  readonly documents: Pick<ProviderDocuments, 'findMetadata'>
  readonly atPlace: AtPlace
}

/**
 * Creates the function that answers where a browser signs out at a provider; undefined where the provider is not set up for it. It
 * throws Refused. No hint about the person goes along: ID tokens are not stored, and the meaning of `logout_hint` is up to the provider.
 */
export function createBeginLogout({ issuer, findProvider, documents, atPlace }: BeginLogoutParts) {
  return async (providerId: string, state: string): Promise<URL | undefined> => {
    const provider = await findProvider(providerId, '')
    if (provider.type !== 'oidc' || !provider.rpInitiatedLogout) return undefined
    const metadata = await atPlace(providerId, () => documents.findMetadata(provider.issuer))
    const { end_session_endpoint: endpoint } = metadata
    if (endpoint === undefined) throw new Refused('logout_endpoint_missing')
    // Not with the other endpoints: a sign-in does not need this one.
    requireTlsEndpoint(metadata, endpoint)
    const url = new URL(endpoint)
    url.searchParams.set('client_id', provider.clientId)
    url.searchParams.set('post_logout_redirect_uri', identityProviderLogoutReturn(issuer))
    url.searchParams.set('state', state)
    return url
  }
}
