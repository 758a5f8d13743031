import { type Claims, claimsOfScopes } from '@signet/account-claims/claims-of-scopes'
import { organizationClaims, projectAssertsRoles } from '@signet/account-claims/organization-claims'
import type { DirectoryReader } from '@signet/directory-reader/directory-reader'
import type { Account, Client } from '@signet/directory-reader/views'
import { parseScopeString } from '@signet/oauth-protocol/scope-string'
import type { AccessToken } from '@signet/token-format/access-token'
import type { FindLiveToken } from '../tokens/live-token.ts'

/** RFC 7662 section 2.2. */
export type IntrospectionResponse =
  | { readonly active: false }
  | { readonly active: true; readonly [claim: string]: unknown }

/** Answers for one caller; a token that is not meant for the caller is as inactive as one that never was. */
export type Introspect = (token: string, caller: Client) => Promise<IntrospectionResponse>

const INACTIVE: IntrospectionResponse = { active: false }

export function introspect(deps: {
  readonly issuer: string
  readonly directory: DirectoryReader
  readonly findLiveToken: FindLiveToken
}): Introspect {
  return async (value, caller) => {
    const token = await deps.findLiveToken(value)
    if (token === undefined || !isInAudience(caller, token)) return INACTIVE
    if (token.user === undefined) return activeResponse(deps.issuer, token)
    const account = await deps.directory.account(token.user.id)
    if (account === undefined || !account.active) return INACTIVE
    const claims = await claimsFor(deps.directory, token, account, caller)
    return activeResponse(deps.issuer, token, { account, claims })
  }
}

function isInAudience({ clientId, projectId }: Client, { audience }: AccessToken): boolean {
  return audience.includes(clientId) || (projectId !== null && audience.includes(projectId))
}

/** What the scopes reveal about the user; of roles only those in the caller's own project. */
async function claimsFor(
  directory: DirectoryReader,
  token: AccessToken,
  account: Account,
  { projectId }: Client,
): Promise<Claims> {
  const scopes = parseScopeString(token.scope)
  const aboutOrganization = await organizationClaims(directory, {
    account,
    scopes,
    projectId,
    audience: [],
    assertRoles: await projectAssertsRoles(directory, projectId),
  })
  return { ...aboutOrganization, ...claimsOfScopes(account, scopes) }
}

function activeResponse(
  issuer: string,
  token: AccessToken,
  user?: { readonly account: Account; readonly claims: Claims },
): IntrospectionResponse {
  return {
    ...user?.claims,
    active: true,
    iss: issuer,
    sub: token.subject,
    aud: token.audience,
    client_id: token.clientId,
    scope: token.scope,
    token_type: 'Bearer',
    jti: token.id,
    iat: token.issuedAt,
    nbf: token.issuedAt,
    exp: token.expiresAt,
    ...(user !== undefined && { username: user.account.loginName }),
    ...(token.authTime !== undefined && { auth_time: token.authTime }),
    ...(token.amr !== undefined && { amr: token.amr }),
  }
}
