import type { Client } from '@signet/directory-reader/views'
import { InvalidGrantError } from '@signet/oauth-protocol/errors'
import { formatScopeString } from '@signet/oauth-protocol/scope-string'
import { writeRefreshToken } from '@signet/token-format/refresh-token'
import type { TokenKeys } from '../keys/token-keys.ts'
import type { Grant } from '../stores/grant-store.ts'
import { type IssuanceDeps, issueAccessToken } from './access-token.ts'
import { audienceOf } from './audience.ts'
import { accessTokenOfGrant, idTokenOfGrant } from './grant-tokens.ts'
import { issueIdToken } from './id-token.ts'
import { tokenFormOf } from './token-form.ts'
import type { TokenResponse } from './token-response.ts'

export interface IssuanceRequest {
  readonly client: Client
  readonly grant: Grant
  /** Scopes of this answer: those of the grant or, at a refresh, fewer. */
  readonly scopes: readonly string[]
  readonly nonce?: string
  /** Position of the refresh token to send along; absent when the grant has none. */
  readonly refreshCounter?: number
}

/** Makes the answer for a user's grant: access token, ID token when `openid` is among the scopes, refresh token. */
export async function issueTokens(
  deps: IssuanceDeps,
  { client, grant, scopes, nonce, refreshCounter }: IssuanceRequest,
  now: Date,
): Promise<TokenResponse> {
  const { directory } = deps
  const [account, settings, audience] = await Promise.all([
    directory.account(grant.user.id),
    directory.settings(),
    audienceOf(directory, client, scopes),
  ])
  if (account === undefined || !account.active) {
    throw new InvalidGrantError('The user may not sign in any more', { reason: 'account_not_active' })
  }
  const use = { grant, client, account, form: tokenFormOf(client, settings), scopes, audience }
  const accessToken = await issueAccessToken(deps, accessTokenOfGrant(use), now)
  const idToken = scopes.includes('openid')
    ? await issueIdToken(deps, idTokenOfGrant(use, nonce, accessToken.value), now)
    : undefined
  return {
    access_token: accessToken.value,
    token_type: 'Bearer',
    expires_in: accessToken.expiresInSeconds,
    scope: formatScopeString(scopes),
    ...(idToken !== undefined && { id_token: idToken }),
    ...(refreshCounter !== undefined && { refresh_token: refreshTokenAt(deps.keys, grant, refreshCounter) }),
  }
}

function refreshTokenAt(keys: TokenKeys, grant: Grant, counter: number): string {
  const kid = grant.refreshKid
  const key = kid === undefined ? undefined : keys.refreshKeyOf(kid)
  if (kid === undefined || key === undefined) {
    throw new InvalidGrantError('The refresh token is not valid any more', { reason: 'refresh_key_gone' })
  }
  return writeRefreshToken({ grantId: grant.grantId, counter }, { kid, key })
}
