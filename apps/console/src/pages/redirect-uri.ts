import {
  identityProviderCallback,
  serviceProviderMetadataUrl,
} from '@signet/protocol/identity-provider-callback'

/** The redirect URI of an identity provider. The console is below the issuer. */
export const redirectUriOf = (providerId: string): string =>
  identityProviderCallback(window.location.origin, providerId)

/** The metadata of Signet that the administrator of a SAML provider imports. */
export const metadataUrlOf = (providerId: string): string =>
  serviceProviderMetadataUrl(window.location.origin, providerId)
