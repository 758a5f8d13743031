import { isAccountClaim } from '@signet/directory-reader/claims'
import type { Client } from '@signet/directory-reader/views'
import { NO_CLAIMS, parseClaimsParameter } from '@signet/protocol/claims-parameter'
import type { EpochMark } from '@signet/tokens/access-token'
import type { Authorization } from '../grants/new-grant.ts'

/** What an authorization endpoint has proven: a redirect URI of the client, and a browser session. */
export interface AuthorizedRequest {
  readonly clientId: string
  readonly redirectUri: string
  readonly scopes: readonly string[]
  readonly nonce?: string
  /** The `claims` parameter as it came. */
  readonly claims?: string
  readonly acr?: string
  readonly session: {
    readonly sid: string
    readonly authTime: number
    readonly amr: readonly string[]
    readonly user: EpochMark
    readonly organization: EpochMark
  }
}

/** An authorization that rests on a browser session. */
export type SessionAuthorization = Omit<Authorization, 'exchange'> & {
  readonly sid: string
  readonly authTime: number
}

/** The authorization that a request stands for, under a generation of the database. Throws InvalidRequestError for a malformed `claims` parameter. */
export function authorizationOf(
  request: AuthorizedRequest,
  client: Client,
  generation: number,
): SessionAuthorization {
  const { scopes, acr, session } = request
  const asked = request.claims === undefined ? NO_CLAIMS : parseClaimsParameter(request.claims)
  // Names that mean nothing here would only make a code longer.
  const userinfoClaims = asked.userinfo.filter(isAccountClaim)
  const idTokenClaims = asked.idToken.filter(isAccountClaim)
  return {
    scopes,
    sid: session.sid,
    authTime: session.authTime,
    amr: session.amr,
    ...(acr !== undefined && { acr }),
    ...(userinfoClaims.length > 0 && { userinfoClaims }),
    ...(idTokenClaims.length > 0 && { idTokenClaims }),
    user: session.user,
    client: { id: client.clientId, epoch: client.tokenEpoch },
    userOrganization: session.organization,
    clientOrganization: { id: client.organizationId, epoch: client.organizationTokenEpoch },
    ...(generation > 0 && { generation }),
  }
}
