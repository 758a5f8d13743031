import { InvalidRequestError, InvalidScopeError, LoginRequiredError } from '@signet/protocol/errors'
import { type ReservedScope, reservedScopesOf } from '@signet/protocol/scopes'
import { accountChoices, type FindAccountNames, type LoginHint } from '../sessions/account-names.ts'
import type { BrowserSession } from '../sessions/browser-session.ts'
import type { BrowserSessions } from '../sessions/browser-sessions.ts'
import type { AuthorizationRequest } from './authorization-request.ts'
import type { IdTokenHints, ReadIdTokenHint } from './id-token-hint.ts'
import type { Client } from './oauth-client.ts'

export interface CandidateDependencies {
  readonly sessions: BrowserSessions
  readonly hints: Pick<IdTokenHints, 'read'>
  readonly findAccountNames: FindAccountNames
}

/** A request with the organization that its scope names. */
interface ScopedRequest {
  readonly request: AuthorizationRequest
  readonly organizationId: string | undefined
  readonly redirect: { readonly client: Pick<Client, 'organizationId'> }
}

export interface CandidateBrowser {
  readonly sessionCookie: string | undefined
  /** The live sessions, where they are known already. */
  readonly sessions?: readonly BrowserSession[] | undefined
  readonly signedInSid: string | undefined
}

/**
 * Returns the live sessions that satisfy the organization of the request and the user of `id_token_hint` or `claims`.
 * `login_hint` selects the session that it names.
 */
export async function sessionCandidates(
  { request, organizationId, redirect }: ScopedRequest,
  browser: CandidateBrowser,
  { sessions, hints, findAccountNames }: CandidateDependencies,
): Promise<Candidates> {
  const live = browser.sessions ?? (await sessions.answering(browser.sessionCookie))
  const ofOrganization = live.filter(
    (session) => organizationId === undefined || session.organizationId === organizationId,
  )
  const userId = (await hintedUser(request.idTokenHint, hints.read)) ?? request.claims?.subject
  const signedIn = ofOrganization.find((session) => session.sid === browser.signedInSid)
  if (userId === undefined) {
    // A person who signed in for this request may do so as another one than the hint names.
    if (signedIn !== undefined) return { sessions: ofOrganization, hintNamesNone: false }
    const hint = loginHintOf({ request, organizationId, redirect })
    return selectedByHint(request, hint, ofOrganization, findAccountNames)
  }
  if (signedIn !== undefined && signedIn.userId !== userId) {
    // OIDC Core section 3.1.2.1: the response must not be about another user.
    throw new LoginRequiredError('Another user signed in than the request names', {
      reason: 'hint_other_user',
    })
  }
  return { sessions: ofOrganization.filter((session) => session.userId === userId), hintNamesNone: false }
}

interface Candidates {
  readonly sessions: readonly BrowserSession[]
  /** `login_hint` is the name of none of them. */
  readonly hintNamesNone: boolean
}

/** A user name alone means a person of the organization in the scope, else of the application. */
export const loginHintOf = ({ request, organizationId, redirect }: ScopedRequest): LoginHint => ({
  text: request.loginHint,
  organizationId: organizationId ?? redirect.client.organizationId,
})

async function hintedUser(hint: string | undefined, read: ReadIdTokenHint): Promise<string | undefined> {
  if (hint === undefined) return undefined
  const known = await read(hint)
  if (known !== undefined) return known.userId
  throw new InvalidRequestError('id_token_hint is not an ID token of this issuer', { reason: 'hint_invalid' })
}

async function selectedByHint(
  { prompts }: AuthorizationRequest,
  hint: LoginHint,
  sessions: readonly BrowserSession[],
  findAccountNames: FindAccountNames,
): Promise<Candidates> {
  if (hint.text === '' || sessions.length === 0) return { sessions, hintNamesNone: false }
  const choices = await accountChoices(sessions, hint, findAccountNames)
  const [hinted, ...others] = choices.filter(({ isHinted }) => isHinted)
  if (hinted === undefined) return { sessions, hintNamesNone: true }
  // The person asked for a choice, or the name is that of several accounts.
  const isOpen = others.length > 0 || prompts.has('select_account')
  return {
    sessions: isOpen ? sessions : sessions.filter(({ sid }) => sid === hinted.sid),
    hintNamesNone: false,
  }
}

// Reserved scopes that restrict a request to the users of one organization.

/** Finds the ids of active organizations. */
export interface FindOrganization {
  byId(organizationId: string): Promise<string | undefined>
  byPrimaryDomain(domain: string): Promise<string | undefined>
}

/** Returns the id of the organization in the scopes. Throws InvalidScopeError. */
export type ReadOrganizationContext = (scopes: readonly string[]) => Promise<string | undefined>

export function createOrganizationContextReader(find: FindOrganization): ReadOrganizationContext {
  const named = (scope: ReservedScope) => {
    if (scope.kind === 'organization_id') return [find.byId(scope.value)]
    if (scope.kind === 'organization_domain') return [find.byPrimaryDomain(scope.value.toLowerCase())]
    return []
  }
  return async (scopes) => {
    const found = await Promise.all(reservedScopesOf(scopes).flatMap(named))
    if (found.includes(undefined)) {
      throw new InvalidScopeError('scope names an organization that does not exist', {
        reason: 'organization_unknown',
      })
    }
    if (new Set(found).size > 1) {
      throw new InvalidScopeError('scope names more than one organization', {
        reason: 'organization_several',
      })
    }
    return found[0]
  }
}
