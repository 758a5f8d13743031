import type { Client, InstanceSettings } from '@signet/directory-reader/views'
import { InvalidGrantError } from '@signet/protocol/errors'
import { formatScopeString } from '@signet/protocol/scopes'
import { writeRefreshToken } from '@signet/tokens/refresh-token'
import type { TokenKeys } from '../keys/token-keys.ts'
import type { Grant } from '../stores/grant-store.ts'
import { type IssuanceDeps, issueAccessToken } from './access-token.ts'
import { audienceOf } from './audience.ts'
import { accessTokenOfGrant, type GrantInUse, idTokenOfGrant } from './grant-tokens.ts'
import { issueIdToken } from './id-token.ts'
import { type TokenForm, tokenFormOf } from './token-form.ts'
import type { TokenResponse } from './token-response.ts'

export interface IssuanceRequest {
  readonly client: Client
  readonly grant: Grant
  /** Scopes of this answer: those of the grant or, at a refresh, fewer. */
  readonly scopes: readonly string[]
  readonly nonce?: string
  /** Position of the refresh token to send along; absent when the grant has none. */
  readonly refreshCounter?: number
  /** No token of this answer may live longer. */
  readonly longestSeconds?: number
  /** Of the access token, or of the ID token that stands in its place. */
  readonly tokenId?: string
}

/** Makes the answer for a user's grant: access token, ID token when `openid` is among the scopes, refresh token. */
export async function issueTokens(
  deps: IssuanceDeps,
  request: IssuanceRequest,
  now: Date,
): Promise<TokenResponse> {
  const use = await inUse(deps, request)
  const accessToken = await issueAccessToken(deps, accessTokenOfGrant(use), now)
  const idToken = use.scopes.includes('openid')
    ? await issueIdToken(deps, idTokenOfGrant(use, request.nonce, accessToken.value), now)
    : undefined
  return {
    access_token: accessToken.value,
    token_type: 'Bearer',
    expires_in: accessToken.expiresInSeconds,
    scope: formatScopeString(use.scopes),
    ...(idToken !== undefined && { id_token: idToken }),
    ...refreshTokenOf(deps, request),
  }
}

/** RFC 8693 section 2.2.1: an ID token stands where an access token would, and says that it is none. */
export async function issueIdTokenOnly(
  deps: IssuanceDeps,
  request: IssuanceRequest,
  now: Date,
): Promise<TokenResponse> {
  const use = await inUse(deps, request)
  return {
    access_token: await issueIdToken(
      deps,
      { ...idTokenOfGrant(use, request.nonce, undefined), ...idOf(use) },
      now,
    ),
    token_type: 'N_A',
    expires_in: use.form.idTokenLifetimeSeconds,
    scope: formatScopeString(use.scopes),
    ...refreshTokenOf(deps, request),
  }
}

async function inUse({ directory }: IssuanceDeps, request: IssuanceRequest): Promise<GrantInUse> {
  const { client, grant, scopes, tokenId, longestSeconds } = request
  const [account, settings] = await Promise.all([directory.account(grant.user.id), directory.settings()])
  const audience = grant.exchange?.audience ?? audienceOf(client, scopes)
  // Whether the user is active was decided on the rows themselves a moment ago. The account at hand may be up to a
  // second old: asking it again would burn the code of somebody who has just been activated.
  if (account === undefined) {
    throw new InvalidGrantError('The user may not sign in any more', { reason: 'account_gone' })
  }
  const form = shortened(formOf(client, settings, grant), longestSeconds)
  return { grant, client, account, form, scopes, audience, ...(tokenId !== undefined && { tokenId }) }
}

function shortened(form: TokenForm, longestSeconds: number | undefined): TokenForm {
  if (longestSeconds === undefined) return form
  return {
    ...form,
    accessTokenLifetimeSeconds: Math.min(form.accessTokenLifetimeSeconds, longestSeconds),
    idTokenLifetimeSeconds: Math.min(form.idTokenLifetimeSeconds, longestSeconds),
  }
}

function idOf({ tokenId }: GrantInUse): { id?: string } {
  return tokenId === undefined ? {} : { id: tokenId }
}

/** What was exchanged keeps the form that was asked for. */
function formOf(client: Client, settings: InstanceSettings, { exchange }: Grant): TokenForm {
  const form = tokenFormOf(client, settings)
  return exchange === undefined ? form : { ...form, accessTokenType: exchange.accessTokenType }
}

function refreshTokenOf(
  { keys }: IssuanceDeps,
  { grant, refreshCounter }: IssuanceRequest,
): { refresh_token?: string } {
  if (refreshCounter === undefined) return {}
  return { refresh_token: refreshTokenAt(keys, grant, refreshCounter) }
}

function refreshTokenAt(keys: TokenKeys, grant: Grant, counter: number): string {
  const kid = grant.refreshKid
  const key = kid === undefined ? undefined : keys.refreshKeyOf(kid)
  if (kid === undefined || key === undefined) {
    throw new InvalidGrantError('The refresh token is not valid any more', { reason: 'refresh_key_gone' })
  }
  return writeRefreshToken({ grantId: grant.grantId, counter }, { kid, key })
}
