// RFC 6749 section 2.3.1; OIDC Core section 9; RFC 7523 section 2.2.

export const CLIENT_AUTH_METHODS = [
  'client_secret_basic',
  'client_secret_post',
  'none',
  'private_key_jwt',
] as const

export type ClientAuthMethod = (typeof CLIENT_AUTH_METHODS)[number]

/** RFC 7523 section 2.2: the one value of `client_assertion_type`. */
export const JWT_BEARER_ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
