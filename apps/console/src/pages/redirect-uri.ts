import { identityProviderCallback } from '@signet/protocol/identity-provider-callback'

/** The redirect URI of an identity provider. The console is below the issuer. */
export const redirectUriOf = (providerId: string): string =>
  identityProviderCallback(window.location.origin, providerId)
