import { claimsNamed, claimsOfScopes } from '@signet/account-claims/claims-of-scopes'
import type { Account, Client } from '@signet/directory-reader/views'
import { halfHash } from '@signet/token-format/half-hash'
import type { TokenKeys } from '../keys/token-keys.ts'
import type { Grant } from '../stores/grant-store.ts'

export interface IdTokenRequest {
  readonly issuer: string
  readonly client: Client
  readonly account: Account
  readonly grant: Grant
  readonly scopes: readonly string[]
  readonly nonce?: string
  /** The access token that is issued with it, if one is. */
  readonly accessToken?: string
  readonly lifetimeSeconds: number
}

/** Makes and signs an ID token (OIDC Core section 2) with the algorithm of the application. */
export async function issueIdToken(keys: TokenKeys, request: IdTokenRequest, now: Date): Promise<string> {
  const { issuer, client, account, grant, scopes, nonce, accessToken, lifetimeSeconds } = request
  const issuedAt = Math.floor(now.getTime() / 1000)
  // OIDC Core section 5.4: with an access token at hand the claims of the scopes belong to userinfo, unless the
  // application asked for both.
  const withScopes = accessToken === undefined || client.idTokenUserinfoAssertion
  return keys.sign(client.idTokenSigningAlg, 'JWT', {
    ...(withScopes && claimsOfScopes(account, scopes)),
    ...claimsNamed(account, grant.idTokenClaims),
    iss: issuer,
    sub: grant.user.id,
    aud: [client.clientId],
    azp: client.clientId,
    exp: issuedAt + lifetimeSeconds,
    iat: issuedAt,
    auth_time: Math.floor(grant.authTime.getTime() / 1000),
    amr: grant.amr,
    sid: grant.sid,
    ...(grant.acr !== undefined && { acr: grant.acr }),
    ...(accessToken !== undefined && { at_hash: halfHash(accessToken, client.idTokenSigningAlg) }),
    ...(nonce !== undefined && { nonce }),
  })
}
