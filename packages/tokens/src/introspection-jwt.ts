/**
 * RFC 9701 section 5: the type of a signed introspection response, which distinguishes it from every token (RFC 8725 section 3.11).
 */
export const INTROSPECTION_TYP = 'token-introspection+jwt'

/** The claims of a signed introspection response: the response itself is inside one claim, so that it is no token. */
export function introspectionJwtClaims(
  issuer: string,
  { audience, response, issuedAt }: { audience: string; response: object; issuedAt: number },
): object {
  return { iss: issuer, aud: audience, iat: issuedAt, token_introspection: response }
}
