import {
  InvalidRequestError,
  LoginRequiredError,
  OAuthError,
  ServerError,
  TemporarilyUnavailableError,
} from '@signet/oauth-protocol/errors'
import type { ReadIdTokenHint } from '../id-tokens/id-token-hint.ts'
import type { BrowserSession } from '../sessions/browser-session.ts'
import type { BrowserSessions } from '../sessions/browser-sessions.ts'
import { type AuthorizationRequest, readAuthorizationRequest } from './authorization-request.ts'
import type { AuthorizationResponse, AuthorizationResponses } from './authorization-response.ts'
import { AuthorizationResponseError } from './authorization-response-error.ts'
import type { FindClient } from './client.ts'
import type { RequestParameters } from './parameters.ts'
import { type ProvenRedirect, proveRedirect } from './proven-redirect.ts'
import { requiredInteraction } from './required-interaction.ts'

/** Makes codes; the caller has proven the redirect URI and the session. */
export type IssueCode = (
  redirect: ProvenRedirect,
  request: AuthorizationRequest,
  session: BrowserSession,
) => Promise<string>

export interface AuthorizeDependencies {
  readonly findClient: FindClient
  readonly sessions: BrowserSessions
  readonly readIdTokenHint: ReadIdTokenHint
  readonly issueCode: IssueCode
  readonly responses: AuthorizationResponses
  readonly now: () => Date
}

/** What the browser brings to a request. */
interface BrowserFacts {
  readonly sessionCookie: string | undefined
  /** The session that the person signed in to for this very request. */
  readonly signedInSid: string | undefined
}

/** How a valid request stands: it can be answered, or the person has to sign in. */
export type Assessment =
  | {
      readonly interaction: 'sign-in'
      readonly redirect: ProvenRedirect
      readonly request: AuthorizationRequest
    }
  | { readonly interaction: 'none'; answer(): Promise<AuthorizationResponse> }

/** Judges a request. Throws AuthorizePageError until the redirect URI is proven, then AuthorizationResponseError. */
export type AssessAuthorization = (
  parameters: RequestParameters,
  browser: BrowserFacts,
) => Promise<Assessment>

export function createAssessAuthorization(dependencies: AuthorizeDependencies): AssessAuthorization {
  const { findClient, sessions, issueCode, responses, now } = dependencies
  return async (parameters, browser) => {
    const redirect = await proveRedirect(parameters, findClient)
    return toldToClient(redirect, parameters, async () => {
      const request = readAuthorizationRequest(parameters, redirect.client)
      const session = await chooseSession(request, browser, dependencies)
      const signedInForThis = session !== undefined && session.sid === browser.signedInSid
      const interaction = requiredInteraction(request, { session, signedInForThis, now: now() })
      if (session !== undefined && interaction === 'none') {
        const answer = () =>
          toldToClient(redirect, parameters, async () => {
            const code = await issueCode(redirect, request, session)
            if (browser.sessionCookie !== undefined) await sessions.touch(browser.sessionCookie, session)
            return responses.code(redirect, code)
          })
        return { interaction: 'none', answer }
      }
      if (request.prompts.has('none')) {
        throw new LoginRequiredError('The user has to sign in', { reason: 'login_required' })
      }
      return { interaction: 'sign-in', redirect, request }
    })
  }
}

/** The session this request is about: the one just signed in to, else the latest, and only the hinted person's. */
async function chooseSession(
  request: AuthorizationRequest,
  browser: BrowserFacts,
  { sessions, readIdTokenHint }: AuthorizeDependencies,
): Promise<BrowserSession | undefined> {
  const live = await sessions.live(browser.sessionCookie)
  const signedIn = live.find((session) => session.sid === browser.signedInSid)
  if (request.idTokenHint === undefined) return signedIn ?? live[0]
  const hint = await readIdTokenHint(request.idTokenHint)
  if (hint === undefined) {
    throw new InvalidRequestError('id_token_hint is not an ID token of this issuer', {
      reason: 'hint_invalid',
    })
  }
  if (signedIn !== undefined && signedIn.userId !== hint.userId) {
    // OIDC Core section 3.1.2.1: somebody else may not be answered for.
    throw new LoginRequiredError('Another user signed in than id_token_hint names', {
      reason: 'hint_other_user',
    })
  }
  return signedIn ?? live.find((session) => session.userId === hint.userId)
}

/**
 * Turns failures into answers for the client. A missing dependency is shown to the person instead, who can reload;
 * with prompt=none nobody is looking.
 */
async function toldToClient<T>(
  redirect: ProvenRedirect,
  parameters: RequestParameters,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const isShown = error instanceof TemporarilyUnavailableError && parameters.get('prompt') !== 'none'
    if (isShown) throw error
    const told = error instanceof OAuthError ? error : new ServerError({ reason: 'unexpected', cause: error })
    throw new AuthorizationResponseError(redirect, told)
  }
}
