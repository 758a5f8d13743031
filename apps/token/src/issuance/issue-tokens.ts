import type { DirectoryReader } from '@signet/directory-reader/directory-reader'
import type { Client } from '@signet/directory-reader/views'
import { InvalidGrantError } from '@signet/oauth-protocol/errors'
import { formatScopeString } from '@signet/oauth-protocol/scope-string'
import type { RandomBytes } from '@signet/token-format/identifiers'
import { writeRefreshToken } from '@signet/token-format/refresh-token'
import type { TokenKeys } from '../keys/token-keys.ts'
import type { Grant } from '../stores/grant-store.ts'
import { issueAccessToken } from './access-token.ts'
import { issueIdToken } from './id-token.ts'
import type { TokenResponse } from './token-response.ts'

export interface IssuanceDeps {
  readonly issuer: string
  readonly directory: DirectoryReader
  readonly keys: TokenKeys
  readonly random: RandomBytes
}

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
  request: IssuanceRequest,
  now: Date,
): Promise<TokenResponse> {
  const { client, grant, scopes, nonce, refreshCounter } = request
  const [account, settings] = await Promise.all([
    deps.directory.account(grant.user.id),
    deps.directory.settings(),
  ])
  if (account === undefined || !account.active) {
    throw new InvalidGrantError('The user may not sign in any more', { reason: 'account_not_active' })
  }
  const accessToken = await issueAccessToken(
    deps,
    { client, grant, scopes },
    client.accessTokenLifetimeSeconds ?? settings.accessTokenLifetimeSeconds,
    now,
  )
  const idToken = scopes.includes('openid')
    ? await issueIdToken(
        deps.keys,
        {
          issuer: deps.issuer,
          client,
          account,
          grant,
          scopes,
          accessToken: accessToken.value,
          lifetimeSeconds: client.idTokenLifetimeSeconds ?? settings.idTokenLifetimeSeconds,
          ...(nonce !== undefined && { nonce }),
        },
        now,
      )
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
