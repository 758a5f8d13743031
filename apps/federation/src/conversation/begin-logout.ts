// The way of a browser to the sign-out at a provider: OpenID Connect RP-Initiated Logout 1.0 section 2, or a LogoutRequest of SAML.
import { identityProviderLogoutReturn } from '@signet/protocol/identity-provider-callback'
import type { AtPlace } from './places.ts'
import type { FindProvider, Provider } from './provider.ts'
import { type ProviderDocuments, requireTlsEndpoint } from './provider-documents.ts'
import { Refused } from './refusal.ts'

/** A sign-out that goes on at a provider. The names are those of the session there; empty without them. */
interface BeginningLogout {
  readonly providerId: string
  readonly state: string
  readonly tokenSubject: string
  readonly nameIdFormat: string
  readonly sessionId: string
}

interface BeginLogoutParts {
  readonly issuer: string
  readonly findProvider: FindProvider
  readonly documents: Pick<ProviderDocuments, 'findMetadata'>
  readonly atPlace: AtPlace
  readonly singleLogout: {
    readonly begin: (
      provider: Provider,
      state: string,
      signedIn: { readonly nameId: string; readonly nameIdFormat: string; readonly sessionIndex: string },
    ) => Promise<URL | undefined>
  }
}

/**
 * Creates the function that answers where a browser signs out at a provider; undefined where the provider is not set up for it. It
 * throws Refused. A provider of OpenID Connect gets no hint about the person: ID tokens are not stored, and the meaning of `logout_hint`
 * is up to the provider. A LogoutRequest of SAML names the person, as the profile demands.
 */
export function createBeginLogout({
  issuer,
  findProvider,
  documents,
  atPlace,
  singleLogout,
}: BeginLogoutParts) {
  return async ({ providerId, state, ...names }: BeginningLogout): Promise<URL | undefined> => {
    const provider = await findProvider(providerId, '')
    if (!provider.rpInitiatedLogout) return undefined
    if (provider.type === 'saml') {
      const { tokenSubject: nameId, nameIdFormat, sessionId: sessionIndex } = names
      return singleLogout.begin(provider, state, { nameId, nameIdFormat, sessionIndex })
    }
    if (provider.type !== 'oidc') return undefined
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
