import { formatScopeString } from '@signet/protocol/scopes'
import type { GrantStore } from '../grant-store.ts'
import { type IssuanceDeps, type IssuedAccessToken, issueAccessToken, tokenFormOf } from './access-token.ts'
import { authorizationOfSession, exchangeOfImpersonation, type RedirectedRequest } from './code.ts'
import { issueIdToken } from './id-token.ts'
import { accessTokenOfGrant, idTokenOfGrant, shortened } from './issue-tokens.ts'
import { newGrant } from './new-grant.ts'
import { audienceOf, requireAudiences, requireProjectAccess, withoutRefresh } from './scopes.ts'

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
    const { clientId, session, nonce, withAccessToken } = request
    const { impersonation } = session
    const scopes = impersonation === undefined ? request.scopes : withoutRefresh(request.scopes)
    const client = await directory.client(clientId)
    if (client === undefined || !client.active) return { outcome: 'client_unknown' }
    await requireAudiences(directory, client, scopes)
    const audience = audienceOf(client, scopes)
    await requireProjectAccess(directory, audience, session.user.id)
    const [account, settings] = await Promise.all([directory.account(session.user.id), directory.settings()])
    if (account === undefined || !account.active) return { outcome: 'ended' }
    const leftSeconds = impersonation && impersonation.endsAt - Math.floor(now().getTime() / 1000)
    if (leftSeconds !== undefined && leftSeconds <= 0) return { outcome: 'ended' }
    const made = { issuer: deps.issuer, generation: deps.generation() }
    const authorization = authorizationOfSession(request, client, made)
    const exchange = exchangeOfImpersonation(authorization.impersonation, client, audience)
    const grant = newGrant({ ...deps, settings }, { ...authorization, ...exchange }, now())
    if ((await grants.begin(grant)) === 'ended') return { outcome: 'ended' }
    const form = shortened(tokenFormOf(client, settings), leftSeconds)
    const use = { grant, client, account, form, scopes, audience }
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
