// RFC 8693 section 3, and one type of our own.

export const TOKEN_TYPES = {
  accessToken: 'urn:ietf:params:oauth:token-type:access_token',
  refreshToken: 'urn:ietf:params:oauth:token-type:refresh_token',
  idToken: 'urn:ietf:params:oauth:token-type:id_token',
  jwt: 'urn:ietf:params:oauth:token-type:jwt',
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
