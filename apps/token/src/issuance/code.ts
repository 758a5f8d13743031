import { createHash } from 'node:crypto'
import { isAccountClaim } from '@signet/directory-reader/claims'
import type { DirectoryReader } from '@signet/directory-reader/directory-reader'
import type { Client } from '@signet/directory-reader/views'
import type { GrantedDetail } from '@signet/protocol/authorization-details'
import { NO_CLAIMS, parseClaimsParameter } from '@signet/protocol/claims-parameter'
import { impersonationTokenId } from '@signet/revocation-reader/endings'
import type { EpochMark } from '@signet/tokens/access-token'
import {
  type AuthorizationCode,
  type CodeImpersonation,
  sealAuthorizationCode,
} from '@signet/tokens/authorization-code'
import { newOpaqueIdentifier, type RandomBytes } from '@signet/tokens/identifiers'
import { dayOf } from '../partitions/partition-plan.ts'
import type { TokenKeys } from '../token-keys.ts'
import type { Authorization } from './new-grant.ts'
import { audienceOf, requireAudiences, requireProjectAccess, withoutRefresh } from './scopes.ts'

/** RFC 9700 section 4.5 wants it short; a client redeems within a second or two. */
const CODE_LIFETIME_SECONDS = 60

interface CodeRequest extends RedirectedRequest {
  readonly codeChallenge?: string
  readonly dpopJkt?: string
}

type SealCodeResult =
  | { readonly outcome: 'issued'; readonly code: string; readonly expiresAt: Date }
  | { readonly outcome: 'client_unknown' }
  /** Scopes, nonce and the rest do not fit into a code that every client can carry. */
  | { readonly outcome: 'too_long' }

export type IssueCode = (request: CodeRequest) => Promise<SealCodeResult>

/** The members that tie a code to its request. */
type CodeBinding = Pick<AuthorizationCode, 'redirectUriHash' | 'codeChallenge' | 'dpopJkt' | 'device'>

export type SealCode = (
  request: AuthorizedRequest,
  binding: CodeBinding,
  lifetimeSeconds: number,
) => Promise<SealCodeResult>

/**
 * Makes codes; nothing is stored until one is redeemed. Throws InvalidScopeError for an audience that the application may not
 * name, AccessDeniedError for a user whom a project of it keeps out.
 */
export function createSealCode(deps: {
  readonly directory: DirectoryReader
  readonly keys: TokenKeys
  readonly issuer: string
  readonly random: RandomBytes
  readonly generation: () => number
  readonly now: () => Date
}): SealCode {
  return async (request, binding, lifetimeSeconds) => {
    const client = await deps.directory.client(request.clientId)
    if (client === undefined || !client.active) return { outcome: 'client_unknown' }
    await requireAudiences(deps.directory, client, request.scopes)
    const audience = audienceOf(client, request.scopes)
    await requireProjectAccess(deps.directory, audience, request.session.user.id)
    const now = deps.now()
    const expiresAt = Math.floor(now.getTime() / 1000) + lifetimeSeconds
    const code: AuthorizationCode = {
      id: newOpaqueIdentifier(deps.random),
      day: dayOf(now),
      expiresAt,
      clientId: request.clientId,
      ...(request.nonce !== undefined && { nonce: request.nonce }),
      ...binding,
      ...authorizationOfSession(request, client, { issuer: deps.issuer, generation: deps.generation() }),
    }
    const sealed = sealAuthorizationCode(code, deps.keys.codeSealer())
    if (sealed === undefined) return { outcome: 'too_long' }
    return { outcome: 'issued', code: sealed, expiresAt: new Date(expiresAt * 1000) }
  }
}

/** Makes authorization codes (RFC 6749 section 4.1.2). */
export function createIssueCode(sealCode: SealCode): IssueCode {
  return ({ redirectUri, codeChallenge, dpopJkt, ...request }) =>
    sealCode(
      request,
      {
        redirectUriHash: redirectUriHash(redirectUri),
        ...(codeChallenge !== undefined && { codeChallenge }),
        ...(dpopJkt !== undefined && { dpopJkt }),
      },
      CODE_LIFETIME_SECONDS,
    )
}

/** The form in which a code contains the redirect URI. */
export function redirectUriHash(redirectUri: string): string {
  return createHash('sha256').update(redirectUri).digest('base64url')
}

/** The values that the sign-in pages have verified: a request of the client, and a browser session. */
export interface AuthorizedRequest {
  readonly clientId: string
  readonly scopes: readonly string[]
  readonly nonce?: string
  /** The `claims` parameter as it came. */
  readonly claims?: string
  readonly acr?: string
  /** Rich authorization (RFC 9396), which the user has allowed. */
  readonly details?: readonly GrantedDetail[]
  readonly session: {
    readonly sid: string
    readonly authTime: number
    readonly amr: readonly string[]
    readonly user: EpochMark
    readonly organization: EpochMark
    readonly impersonation?: SessionImpersonation
  }
}

/** The administrator who signed in as the person of a session. */
export interface SessionImpersonation {
  readonly id: string
  /** Session of the administrator. */
  readonly sid: string
  readonly administrator: EpochMark
  /** The organization of the administrator. */
  readonly organization: EpochMark
  /** Seconds since 1970. */
  readonly endsAt: number
}

/** The request of an authorization endpoint, with a redirect URI of the client. */
export interface RedirectedRequest extends AuthorizedRequest {
  readonly redirectUri: string
}

/** An authorization that rests on a browser session. */
type SessionAuthorization = Omit<Authorization, 'exchange'> &
  Pick<AuthorizationCode, 'impersonation'> & {
    readonly sid: string
    readonly authTime: number
  }

/** Returns the authorization of a request in a browser session, under a generation of the database. Throws InvalidRequestError for a malformed `claims` parameter. */
export function authorizationOfSession(
  request: AuthorizedRequest,
  client: Client,
  { issuer, generation }: { readonly issuer: string; readonly generation: number },
): SessionAuthorization {
  const { acr, details, session } = request
  const { impersonation } = session
  const scopes = impersonation === undefined ? request.scopes : withoutRefresh(request.scopes)
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
    ...(details !== undefined && { details }),
    ...(userinfoClaims.length > 0 && { userinfoClaims }),
    ...(idTokenClaims.length > 0 && { idTokenClaims }),
    user: session.user,
    client: { id: client.clientId, epoch: client.tokenEpoch },
    userOrganization: session.organization,
    clientOrganization: { id: client.organizationId, epoch: client.organizationTokenEpoch },
    ...(generation > 0 && { generation }),
    ...(impersonation && { impersonation: impersonationOfCode(impersonation, { issuer, generation }) }),
  }
}

/** The tokens of an impersonation name the administrator, and end with it and with the session of the administrator. */
function impersonationOfCode(
  { id, sid, administrator, organization, endsAt }: SessionImpersonation,
  { issuer, generation }: { readonly issuer: string; readonly generation: number },
): CodeImpersonation {
  return {
    act: { iss: issuer, sub: administrator.id },
    origin: {
      personalTokenId: impersonationTokenId(id),
      sid,
      user: administrator,
      organizations: [organization],
      ...(generation > 0 && { generation }),
    },
    endsAt,
  }
}

/** The grant of a session: that of an impersonation is made as a token exchange with an actor makes it. */
export function exchangeOfImpersonation(
  impersonation: CodeImpersonation | undefined,
  { accessTokenType }: Pick<Client, 'accessTokenType'>,
  audience: readonly string[],
): Pick<Authorization, 'exchange'> {
  if (impersonation === undefined) return {}
  const { act, origin } = impersonation
  return { exchange: { act, origins: [origin], audience, accessTokenType } }
}
