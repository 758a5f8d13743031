import type { Account, Client, InstanceSettings, ServiceUser } from '@signet/directory-reader/views'
import {
  type AuthorizationDetail,
  detailsFor,
  type GrantedDetail,
} from '@signet/protocol/authorization-details'
import { InvalidGrantError } from '@signet/protocol/errors'
import { formatScopeString } from '@signet/protocol/scopes'
import { type Confirmation, type EpochMark, tokenTypeOf } from '@signet/tokens/access-token'
import { authorizationDetails } from '@signet/tokens/access-token-reader'
import { writeRefreshToken } from '@signet/tokens/refresh-token'
import type { Grant } from '../grant-store.ts'
import type { TokenKeys } from '../token-keys.ts'
import {
  type AccessTokenRequest,
  type IssuanceDeps,
  issueAccessToken,
  type TokenForm,
  tokenFormOf,
} from './access-token.ts'
import { type IdTokenRequest, issueIdToken } from './id-token.ts'
import { audienceOf } from './scopes.ts'

interface IssuanceRequest {
  readonly client: Client
  readonly grant: Grant
  /** Scopes of this answer: those of the grant or, at a refresh, fewer. */
  readonly scopes: readonly string[]
  readonly nonce?: string
  /** Position of the refresh token to send along; absent when the grant has none. */
  readonly refreshCounter?: number
  /** No token of this answer may live longer. */
  readonly longestSeconds?: number
  /** Id of the access token, or of the ID token that is issued instead. */
  readonly tokenId?: string
  /** The whole audience of the access token, where the request narrows it. */
  readonly narrowed?: readonly string[] | undefined
  /** Fewer details than the grant has, where the request names them. */
  readonly details?: readonly GrantedDetail[] | undefined
  /** The key to which the access token is bound. */
  readonly cnf?: Confirmation | undefined
}

/** Makes the answer for a user's grant: access token, ID token when `openid` is among the scopes, refresh token. */
export async function issueTokens(
  deps: IssuanceDeps,
  request: IssuanceRequest,
  now: Date,
): Promise<TokenResponse> {
  const use = await inUse(deps, request)
  const accessTokenRequest = accessTokenOfGrant(use)
  const accessToken = await issueAccessToken(deps, accessTokenRequest, now)
  const idToken = use.scopes.includes('openid')
    ? await issueIdToken(deps, idTokenOfGrant(use, request.nonce, accessToken.value), now)
    : undefined
  return {
    access_token: accessToken.value,
    token_type: tokenTypeOf(request.cnf),
    expires_in: accessToken.expiresInSeconds,
    scope: formatScopeString(use.scopes),
    ...authorizationDetails(accessTokenRequest.token.details),
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
  const { client, grant, scopes, tokenId, longestSeconds, cnf, narrowed, details } = request
  const [account, settings] = await Promise.all([directory.account(grant.user.id), directory.settings()])
  const audience = grant.exchange?.audience ?? audienceOf(client, scopes)
  // The redemption checked the rows of the user a moment ago. The cached account may be up to a second old:
  // another check on it would burn the code of a user who was just activated.
  if (account === undefined) {
    throw new InvalidGrantError('The user may not sign in any more', { reason: 'account_gone' })
  }
  const form = shortened(formOf(client, settings, grant), longestSeconds)
  return {
    grant,
    client,
    account,
    form,
    scopes,
    audience,
    narrowed,
    details,
    cnf,
    ...(tokenId !== undefined && { tokenId }),
  }
}

/** A form whose tokens live no longer. */
export function shortened(form: TokenForm, longestSeconds: number | undefined): TokenForm {
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

/** The tokens of an exchange keep the type that was requested. */
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

/** A grant with everything that its tokens are made from. */
interface GrantInUse {
  readonly grant: Grant
  readonly client: Client
  readonly account: Account
  readonly form: TokenForm
  /** Scopes of this answer: those of the grant or, at a refresh, fewer. */
  readonly scopes: readonly string[]
  readonly audience: readonly string[]
  readonly narrowed?: readonly string[] | undefined
  readonly details?: readonly GrantedDetail[] | undefined
  /** Id of the first token where it is on record already. */
  readonly tokenId?: string
  /** The key to which the access token is bound. */
  readonly cnf?: Confirmation | undefined
}

/** The access token of a user's grant. */
export function accessTokenOfGrant(use: GrantInUse): AccessTokenRequest {
  const { grant, client, account, form, scopes, audience, narrowed = audience, tokenId, cnf } = use
  const details = detailsFor(use.details ?? grant.details ?? [], narrowed)
  const outlivesSession = client.refreshTokensSurviveLogout && grant.refreshKid !== undefined
  return {
    form,
    account,
    ...(tokenId !== undefined && { id: tokenId }),
    token: {
      subject: grant.user.id,
      clientId: client.clientId,
      audience: narrowed,
      scope: formatScopeString(scopes),
      ...(grant.authTime !== undefined && { authTime: secondsOf(grant.authTime) }),
      ...(grant.amr.length > 0 && { amr: grant.amr }),
      ...(grant.acr !== undefined && { acr: grant.acr }),
      ...(details.length > 0 && { details }),
      ...(grant.userinfoClaims.length > 0 && { userinfoClaims: grant.userinfoClaims }),
      // A token that outlives the browser session must not die with it.
      ...(!outlivesSession && grant.sid !== undefined && { sid: grant.sid }),
      ...(grant.exchange?.act !== undefined && { act: grant.exchange.act }),
      ...(cnf !== undefined && { cnf }),
      ...(grant.exchange !== undefined && { origins: grant.exchange.origins }),
      grantId: grant.grantId,
      user: grant.user,
      client: grant.client,
      organizations: distinct([grant.userOrganization, grant.clientOrganization]),
    },
  }
}

/** The ID token of a user's grant. */
export function idTokenOfGrant(
  { grant, client, account, form, scopes, audience }: GrantInUse,
  nonce: string | undefined,
  accessToken: string | undefined,
): IdTokenRequest {
  return {
    account,
    clientId: client.clientId,
    form,
    scopes,
    audience,
    claimNames: grant.idTokenClaims,
    ...(accessToken !== undefined && { accessToken }),
    epochs: {
      user: grant.user.epoch,
      organization: grant.userOrganization.epoch,
      generation: grant.generation,
    },
    authentication: {
      ...(grant.authTime !== undefined && { auth_time: secondsOf(grant.authTime) }),
      ...(grant.amr.length > 0 && { amr: grant.amr }),
      ...(grant.acr !== undefined && { acr: grant.acr }),
      ...(grant.sid !== undefined && { sid: grant.sid }),
      ...(grant.exchange?.act !== undefined && { act: grant.exchange.act }),
      ...(nonce !== undefined && { nonce }),
    },
  }
}

/** Removes duplicate epochs; each one is checked at every introspection of the token. */
function distinct(marks: readonly EpochMark[]): readonly EpochMark[] {
  return [...new Map(marks.map((mark) => [`${mark.id} ${mark.epoch}`, mark])).values()]
}

function secondsOf(time: Date): number {
  return Math.floor(time.getTime() / 1000)
}

/** A service user has no wishes but the form of its access tokens. */
export function tokenFormOfServiceUser(
  serviceUser: Pick<ServiceUser, 'accessTokenType' | 'accessTokenSigningAlg'>,
  settings: InstanceSettings,
): TokenForm {
  return {
    projectId: null,
    claimSettings: undefined,
    accessTokenType: serviceUser.accessTokenType,
    accessTokenSigningAlg: serviceUser.accessTokenSigningAlg,
    accessTokenRoleAssertion: false,
    accessTokenLifetimeSeconds: settings.accessTokenLifetimeSeconds,
    idTokenSigningAlg: 'RS256',
    idTokenUserinfoAssertion: false,
    idTokenRoleAssertion: false,
    idTokenLifetimeSeconds: settings.idTokenLifetimeSeconds,
  }
}

/** The access token of a service user that acts for itself. It dies with its user; there is no application behind it. */
export function accessTokenOfServiceUser(
  account: Account,
  request: {
    readonly clientId: string
    readonly form: TokenForm
    readonly scopes: readonly string[]
    readonly audience: readonly string[]
    readonly details?: readonly GrantedDetail[]
    readonly cnf: Confirmation | undefined
  },
): AccessTokenRequest {
  return {
    form: request.form,
    account,
    token: {
      subject: account.userId,
      clientId: request.clientId,
      audience: request.audience,
      scope: formatScopeString(request.scopes),
      ...(request.details !== undefined && request.details.length > 0 && { details: request.details }),
      ...(request.cnf !== undefined && { cnf: request.cnf }),
      user: { id: account.userId, epoch: account.tokenEpoch },
      organizations: [{ id: account.organizationId, epoch: account.organizationTokenEpoch }],
    },
  }
}

/** A successful answer of the token endpoint (RFC 6749 section 5.1, RFC 8693 section 2.2.1). */
export interface TokenResponse {
  /** The issued token: an access token, or an ID token where a token exchange asked for one. */
  readonly access_token: string
  /** `N_A`: not an access token. */
  readonly token_type: 'Bearer' | 'DPoP' | 'N_A'
  /** Seconds until the issued token expires, exactly. */
  readonly expires_in: number
  /** The granted scopes, which may be fewer than the requested ones. */
  readonly scope: string
  /** RFC 9396 section 7. */
  readonly authorization_details?: readonly AuthorizationDetail[]
  readonly id_token?: string
  readonly refresh_token?: string
  readonly issued_token_type?: string
}
