import { assertionConsumer } from '@signet/protocol/assertion-consumer'
import {
  identityProviderCallback,
  serviceProviderMetadataUrl,
} from '@signet/protocol/identity-provider-callback'

/** The redirect URI of an identity provider. The console is below the issuer. */
export const redirectUriOf = (providerId: string): string =>
  identityProviderCallback(window.location.origin, providerId)

/** The address at which a SAML provider sends assertions. */
export const consumerOf = (providerId: string, path: string | null): string =>
  assertionConsumer(window.location.origin, providerId, path ?? '')

/** The metadata of Signet that the administrator of a SAML provider imports. */
export const metadataUrlOf = (providerId: string): string =>
  serviceProviderMetadataUrl(window.location.origin, providerId)
