// RFC 6749 section 1.3, RFC 7523 section 2.1, RFC 8693 section 2.1; `implicit` as OIDC Dynamic Client Registration
// section 2 names it.

export const GRANT_TYPES = {
  authorizationCode: 'authorization_code',
  implicit: 'implicit',
  refreshToken: 'refresh_token',
  clientCredentials: 'client_credentials',
  jwtBearer: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
  tokenExchange: 'urn:ietf:params:oauth:grant-type:token-exchange',
} as const

/** A value of an application's `grantTypes`; `implicit` is one although the token endpoint never sees it. */
export type GrantType = (typeof GRANT_TYPES)[keyof typeof GRANT_TYPES]
