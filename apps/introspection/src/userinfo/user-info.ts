import { type Claims, claimsNamed, claimsOfScopes } from '@signet/account-claims/claims-of-scopes'
import { organizationClaims, projectAssertsRoles } from '@signet/account-claims/organization-claims'
import type { DirectoryReader } from '@signet/directory-reader/directory-reader'
import { InsufficientScopeError, InvalidTokenError } from '@signet/oauth-protocol/errors'
import { parseScopeString } from '@signet/oauth-protocol/scope-string'
import type { FindLiveToken } from '../tokens/live-token.ts'

/**
 * OIDC Core sections 5.3 and 5.5: the claims that the token's scopes reveal about its user, and those that its
 * application asked for by name. Throws InvalidTokenError for a
 * token that is not alive or has no user, InsufficientScopeError for one without `openid`.
 */
export type UserInfo = (token: string) => Promise<Claims>

export function userInfo(deps: {
  readonly directory: DirectoryReader
  readonly findLiveToken: FindLiveToken
}): UserInfo {
  return async (value) => {
    const token = await deps.findLiveToken(value)
    if (token?.user === undefined) throw notAlive('access_token_not_alive')
    const scopes = parseScopeString(token.scope)
    if (!scopes.includes('openid')) {
      throw new InsufficientScopeError('the access token was granted without the scope openid', {
        reason: 'openid_missing',
        scope: 'openid',
      })
    }
    const account = await deps.directory.account(token.user.id)
    if (account === undefined || !account.active) throw notAlive('account_not_active')
    const projectId = (await deps.directory.client(token.clientId))?.projectId ?? null
    const aboutOrganization = await organizationClaims(deps.directory, {
      account,
      scopes,
      projectId,
      audience: token.audience,
      assertRoles: await projectAssertsRoles(deps.directory, projectId),
    })
    return {
      ...aboutOrganization,
      ...claimsOfScopes(account, scopes),
      ...claimsNamed(account, token.userinfoClaims ?? []),
      sub: token.subject,
    }
  }
}

function notAlive(reason: string): InvalidTokenError {
  return new InvalidTokenError('the access token is expired, revoked or not one of ours', {
    reason,
    tokenGiven: true,
  })
}
