import {
  type Claims,
  claimsNamed,
  claimsOfScopes,
  organizationClaims,
  projectAssertsRoles,
} from '@signet/directory-reader/claims'
import type { DirectoryReader } from '@signet/directory-reader/directory-reader'
import type { RequestLimit } from '@signet/http/rate-limit'
import { InsufficientScopeError, InvalidTokenError } from '@signet/protocol/errors'
import { parseScopeString } from '@signet/protocol/scopes'
import { bearerForm } from '@signet/tokens/access-token-reader'
import type { FindLiveToken } from '../tokens/live-token.ts'
import { type FindPersonalToken, PERSONAL_TOKEN_SCOPES } from '../tokens/personal-token.ts'

/**
 * OIDC Core sections 5.3 and 5.5: the claims that the token's scopes reveal about its user, and those that its
 * application asked for by name. Throws InvalidTokenError for a token that is not alive or has no user,
 * InsufficientScopeError for one without `openid`, RateLimitedError for one too many.
 */
export type UserInfo = (token: string) => Promise<Claims>

export function userInfo(deps: {
  readonly directory: DirectoryReader
  readonly findLiveToken: FindLiveToken
  readonly findPersonalToken: FindPersonalToken
  /** Of the client that a token was issued to, or the user of a personal one. */
  readonly limit: RequestLimit
}): UserInfo {
  const { directory } = deps
  return async (value) => {
    if (bearerForm(value) === 'personal') {
      const found = await deps.findPersonalToken(value)
      if (found === undefined) throw notAlive('access_token_not_alive')
      deps.limit(found.account.userId)
      return { ...claimsOfScopes(found.account, PERSONAL_TOKEN_SCOPES), sub: found.account.userId }
    }
    const token = (await deps.findLiveToken(value))?.token
    if (token?.user === undefined) throw notAlive('access_token_not_alive')
    deps.limit(token.clientId)
    const scopes = parseScopeString(token.scope)
    if (!scopes.includes('openid')) {
      throw new InsufficientScopeError('the access token was granted without the scope openid', {
        reason: 'openid_missing',
        scope: 'openid',
      })
    }
    const account = await directory.account(token.user.id)
    if (account === undefined || !account.active) throw notAlive('account_not_active')
    const projectId = (await directory.client(token.clientId))?.projectId ?? null
    const aboutOrganization = await organizationClaims(directory, {
      account,
      scopes,
      projectId,
      audience: token.audience,
      assertRoles: await projectAssertsRoles(directory, projectId),
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
