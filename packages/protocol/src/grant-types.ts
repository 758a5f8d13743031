// RFC 6749 section 1.3, RFC 7523 section 2.1, RFC 8628 section 3.4, RFC 8693 section 2.1; `implicit` as OIDC Dynamic Client Registration
// section 2 names it.

export const GRANT_TYPES = {
  authorizationCode: 'authorization_code',
  implicit: 'implicit',
  refreshToken: 'refresh_token',
  clientCredentials: 'client_credentials',
  jwtBearer: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
  tokenExchange: 'urn:ietf:params:oauth:grant-type:token-exchange',
  deviceCode: 'urn:ietf:params:oauth:grant-type:device_code',
} as const

/** A value of an application's `grantTypes`; `implicit` is one although the token endpoint never sees it. */
export type GrantType = (typeof GRANT_TYPES)[keyof typeof GRANT_TYPES]

// RFC 8693 section 3, and one type of our own.

export const TOKEN_TYPES = {
  accessToken: 'urn:ietf:params:oauth:token-type:access_token',
  refreshToken: 'urn:ietf:params:oauth:token-type:refresh_token',
  idToken: 'urn:ietf:params:oauth:token-type:id_token',
  jwt: 'urn:ietf:params:oauth:token-type:jwt',
  /** An identity assertion for another authorization server (cross-app-access.ts). */
  idJag: 'urn:ietf:params:oauth:token-type:id-jag',
  /** The id of a user as it is; it proves nothing, so an actor who may act for the user has to come along. */
  userId: 'urn:service:params:oauth:token-type:user_id',
} as const

export type TokenType = keyof typeof TOKEN_TYPES

const USER_ID_ALIAS = 'urn:zitadel:params:oauth:token-type:user_id'

/** The token type that an identifier names, or undefined. */
export function parseTokenType(identifier: string): TokenType | undefined {
  if (identifier === USER_ID_ALIAS) return 'userId'
  const found = Object.entries(TOKEN_TYPES).find(([, known]) => known === identifier)
  return found?.[0] as TokenType | undefined
}

// RFC 6749 section 2.3.1; OIDC Core section 9; RFC 7523 section 2.2; RFC 8705 section 2.

export const CLIENT_AUTH_METHODS = [
  'client_secret_basic',
  'client_secret_post',
  'none',
  'private_key_jwt',
  'tls_client_auth',
  'self_signed_tls_client_auth',
] as const

export type ClientAuthMethod = (typeof CLIENT_AUTH_METHODS)[number]

/** The methods by a certificate of the TLS connection (RFC 8705 section 2). */
export const TLS_AUTH_METHODS = [
  'tls_client_auth',
  'self_signed_tls_client_auth',
] as const satisfies readonly ClientAuthMethod[]

export type TlsAuthMethod = (typeof TLS_AUTH_METHODS)[number]

/** RFC 7523 section 2.2: the one value of `client_assertion_type`. */
export const JWT_BEARER_ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
