import { formatScopeString } from '@signet/protocol/scopes'
import type { GrantStore } from '../grant-store.ts'
import { type IssuanceDeps, type IssuedAccessToken, issueAccessToken, tokenFormOf } from './access-token.ts'
import { authorizationOfSession, type RedirectedRequest } from './code.ts'
import { issueIdToken } from './id-token.ts'
import { accessTokenOfGrant, idTokenOfGrant } from './issue-tokens.ts'
import { newGrant } from './new-grant.ts'
import { audienceOf, requireAudiences, requireProjectAccess } from './scopes.ts'

interface ImplicitRequest extends RedirectedRequest {
  /** OIDC Core section 3.2.2.1: the client detects a replayed response by it. */
  readonly nonce: string
  /** Response type `id_token token` rather than `id_token`. */
  readonly withAccessToken: boolean
}

type IssueImplicitResult =
  | {
      readonly outcome: 'issued'
      readonly idToken: string
      readonly accessToken?: IssuedAccessToken
      readonly scope: string
    }
  | { readonly outcome: 'client_unknown' }
  /** The session, user, application or an organization has ended. */
  | { readonly outcome: 'ended' }

export type IssueImplicit = (request: ImplicitRequest) => Promise<IssueImplicitResult>

interface Deps extends IssuanceDeps {
  readonly grants: GrantStore
  readonly now: () => Date
}

/**
 * Makes the tokens of an authorization response (OIDC Core section 3.2.2.5) under a grant of their own. Throws what
 * `issueCode` throws.
 */
export function createIssueImplicit(deps: Deps): IssueImplicit {
  return async (request) => {
    const { directory, grants, now } = deps
    const { clientId, scopes, session, nonce, withAccessToken } = request
    const client = await directory.client(clientId)
    if (client === undefined || !client.active) return { outcome: 'client_unknown' }
    await requireAudiences(directory, client, scopes)
    const audience = audienceOf(client, scopes)
    await requireProjectAccess(directory, audience, session.user.id)
    const [account, settings] = await Promise.all([directory.account(session.user.id), directory.settings()])
    if (account === undefined || !account.active) return { outcome: 'ended' }
    const grant = newGrant(
      { ...deps, settings },
      authorizationOfSession(request, client, deps.generation()),
      now(),
    )
    if ((await grants.begin(grant)) === 'ended') return { outcome: 'ended' }
    const use = { grant, client, account, form: tokenFormOf(client, settings), scopes, audience }
    const accessToken = withAccessToken
      ? await issueAccessToken(deps, accessTokenOfGrant(use), now())
      : undefined
    const idToken = await issueIdToken(deps, idTokenOfGrant(use, nonce, accessToken?.value), now())
    return {
      outcome: 'issued',
      idToken,
      ...(accessToken !== undefined && { accessToken }),
      scope: formatScopeString(scopes),
    }
  }
}
