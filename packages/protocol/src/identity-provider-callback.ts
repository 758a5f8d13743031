/** The page at which identity providers return the browser, as a route of Express. */
export const IDENTITY_PROVIDER_CALLBACK = '/ui/identity-providers/:providerId/callback'

/**
 * The redirect URI of an identity provider: each one has its own, so that the response of one is not taken for that of another
 * (RFC 9700 section 4.4.2.2). `issuer` is SIGNET_ISSUER and no header of a request.
 */
export function identityProviderCallback(issuer: string, providerId: string): string {
  return issuer + withId(IDENTITY_PROVIDER_CALLBACK, providerId)
}

/** The page at which the browser comes back from the sign-out at an identity provider. */
export const IDENTITY_PROVIDER_LOGOUT_RETURN = '/ui/logout/identity-provider'

/** The post-logout redirect URI at every identity provider. */
export const identityProviderLogoutReturn = (issuer: string): string =>
  issuer + IDENTITY_PROVIDER_LOGOUT_RETURN

/** The metadata of Signet for a SAML provider, as a route of Express. */
export const SERVICE_PROVIDER_METADATA = '/ui/identity-providers/:providerId/metadata'

/** The address of that metadata for a provider. */
export function serviceProviderMetadataUrl(issuer: string, providerId: string): string {
  return issuer + withId(SERVICE_PROVIDER_METADATA, providerId)
}

/** The SingleLogoutService of Signet for a SAML provider, as a route of Express. */
export const SINGLE_LOGOUT_SERVICE = '/ui/identity-providers/:providerId/single-logout'

/** The address of that service for a provider. */
export function singleLogoutService(issuer: string, providerId: string): string {
  return issuer + withId(SINGLE_LOGOUT_SERVICE, providerId)
}

const withId = (route: string, providerId: string) =>
  route.replace(':providerId', () => encodeURIComponent(providerId))
