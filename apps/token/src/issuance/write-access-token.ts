import type { Client } from '@signet/directory-reader/views'
import { type AccessToken, sealAccessToken } from '@signet/token-format/access-token'
import { JWT_ACCESS_TOKEN_TYP, jwtAccessTokenClaims } from '@signet/token-format/jwt-access-token'
import type { TokenKeys } from '../keys/token-keys.ts'

/** The form that an application or service user wants its access tokens in. */
export type AccessTokenForm = Pick<Client, 'accessTokenType' | 'accessTokenSigningAlg'>

/**
 * Writes an access token: sealed, or as a signed JWT (RFC 9068). Neither is stored.
 */
export async function writeAccessToken(
  { keys, issuer }: { readonly keys: TokenKeys; readonly issuer: string },
  token: AccessToken,
  form: AccessTokenForm,
): Promise<string> {
  if (form.accessTokenType === 'bearer') {
    return sealAccessToken(token, keys.accessSealer(), keys.originKey())
  }
  return keys.sign(form.accessTokenSigningAlg, JWT_ACCESS_TOKEN_TYP, jwtAccessTokenClaims(token, issuer))
}
