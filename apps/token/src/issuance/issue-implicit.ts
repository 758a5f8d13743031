import { formatScopeString } from '@signet/oauth-protocol/scope-string'
import { newGrant } from '../grants/new-grant.ts'
import type { GrantStore } from '../stores/grant-store.ts'
import { issueAccessToken } from './access-token.ts'
import { type AuthorizedRequest, authorizationOf } from './authorized-request.ts'
import { issueIdToken } from './id-token.ts'
import type { IssuanceDeps } from './issue-tokens.ts'

export interface ImplicitRequest extends AuthorizedRequest {
  /** OIDC Core section 3.2.2.1: without it nobody could tell a replayed response. */
  readonly nonce: string
  /** Response type `id_token token` rather than `id_token`. */
  readonly withAccessToken: boolean
}

export type IssueImplicitResult =
  | {
      readonly outcome: 'issued'
      readonly idToken: string
      readonly accessToken?: { readonly value: string; readonly expiresInSeconds: number }
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

/** Makes the tokens of an authorization response (OIDC Core section 3.2.2.5) under a grant of their own. */
export function issueImplicit(deps: Deps): IssueImplicit {
  return async (request) => {
    const { directory } = deps
    const client = await directory.client(request.clientId)
    if (client === undefined || !client.active) return { outcome: 'client_unknown' }
    const [account, settings] = await Promise.all([
      directory.account(request.session.user.id),
      directory.settings(),
    ])
    if (account === undefined || !account.active) return { outcome: 'ended' }
    const now = deps.now()
    const grant = newGrant(deps, authorizationOf(request, client), now)
    if ((await deps.grants.begin(grant)) === 'ended') return { outcome: 'ended' }
    const { scopes } = request
    const accessToken = request.withAccessToken
      ? await issueAccessToken(
          deps,
          { client, grant, scopes },
          client.accessTokenLifetimeSeconds ?? settings.accessTokenLifetimeSeconds,
          now,
        )
      : undefined
    const idToken = await issueIdToken(
      deps.keys,
      {
        issuer: deps.issuer,
        client,
        account,
        grant,
        scopes,
        nonce: request.nonce,
        ...(accessToken !== undefined && { accessToken: accessToken.value }),
        lifetimeSeconds: client.idTokenLifetimeSeconds ?? settings.idTokenLifetimeSeconds,
      },
      now,
    )
    return {
      outcome: 'issued',
      idToken,
      ...(accessToken !== undefined && { accessToken }),
      scope: formatScopeString(scopes),
    }
  }
}
