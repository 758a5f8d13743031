// Decides how a request continues: by a response, an error, or an interaction with the user.

import { ConsentRequiredError, InteractionRequiredError, LoginRequiredError } from '@signet/protocol/errors'
import { hasOtherFactor, sessionDemand } from '@signet/protocol/factor-demand'
import type { FindBranding, SignInContext } from '../branding/find-branding.ts'
import { accountChoices } from '../sessions/account-names.ts'
import type { BrowserSession } from '../sessions/browser-session.ts'
import type { FindFactorPolicy, FindSecondFactors } from '../sessions/factor-policy.ts'
import { PROOF_LIFETIME_MS } from '../sessions/sign-in-proof.ts'
import type { Assessment, IssuedResponse, ValidRequest } from './authorization-flow.ts'
import { type AuthorizationRequest, readAuthorizationRequest } from './authorization-request.ts'
import { askedScopes, type NeedsConsent } from './consent-rule.ts'
import type { IdTokenHints } from './id-token-hint.ts'
import type { Client, FindClient } from './oauth-client.ts'
import { knownParameters, type RequestParameters } from './parameters.ts'
import type { Progress } from './pending-authorization.ts'
import {
  type AuthorizationResponses,
  type ProvenRedirect,
  proveRedirect,
  type ResponseMembers,
  withRedirectErrors,
} from './redirect.ts'
import type { FindRegistrationPolicy } from './registration-rules.ts'
import { wantsMfa } from './requested-claims.ts'
import { type RequiredInteraction, requiredInteraction } from './required-interaction.ts'
import type { FindRoleOffer } from './role-offers.ts'
import {
  type CandidateDependencies,
  loginHintOf,
  type ReadOrganizationContext,
  sessionCandidates,
} from './session-candidates.ts'

/** Issues the code or the tokens of the response type. The caller has proven the redirect URI and the session. */
export type IssueResponse = (
  redirect: ProvenRedirect,
  request: AuthorizationRequest,
  session: BrowserSession,
) => Promise<ResponseMembers>

/** Throws InvalidScopeError for scopes that add an audience which the application may not name. */
export type RequireAudiences = (client: Client, scopes: readonly string[]) => Promise<void>

/** Throws AccessDeniedError for a user whom a project of the audience does not admit. */
export type RequireProjectAccess = (
  client: Client,
  session: BrowserSession,
  scopes: readonly string[],
) => Promise<void>

interface AuthorizeDependencies extends CandidateDependencies {
  readonly hints: IdTokenHints
  readonly findClient: FindClient
  readonly readOrganizationContext: ReadOrganizationContext
  readonly requireAudiences: RequireAudiences
  readonly requireProjectAccess: RequireProjectAccess
  readonly needsConsent: NeedsConsent
  readonly findRoleOffer: FindRoleOffer
  readonly findRegistrationPolicy: FindRegistrationPolicy
  readonly findFactorPolicy: FindFactorPolicy
  readonly findSecondFactors: FindSecondFactors
  readonly issueResponse: IssueResponse
  readonly responses: AuthorizationResponses
  readonly branding: FindBranding
  readonly now: () => Date
}

/**
 * Checks the parameters of a request without the session of the browser. Throws AuthorizePageError until the redirect
 * URI is proven, then AuthorizationResponseError.
 */
export async function readRequest(
  received: RequestParameters,
  { findClient, hints }: Pick<AuthorizeDependencies, 'findClient' | 'hints'>,
): Promise<Pick<ValidRequest, 'redirect' | 'request' | 'stored'>> {
  const redirect = await proveRedirect(received, findClient)
  return withRedirectErrors(redirect, received, async () => {
    const parameters = await hints.shortened(received)
    const request = readAuthorizationRequest(parameters, redirect.client)
    return { redirect, request, stored: knownParameters(parameters) }
  })
}

/** Assesses a request. Throws AuthorizePageError until the redirect URI is proven, then AuthorizationResponseError. */
export type AssessAuthorization = (
  parameters: RequestParameters,
  browser: { readonly sessionCookie: string | undefined; readonly progress: Progress },
) => Promise<Assessment>

export function createAssessAuthorization(dependencies: AuthorizeDependencies): AssessAuthorization {
  const { readOrganizationContext, now } = dependencies
  return async (parameters, { sessionCookie, progress }) => {
    const { redirect, request, stored } = await readRequest(parameters, dependencies)
    return withRedirectErrors(redirect, parameters, async () => {
      const organizationId = await readOrganizationContext(request.scopes)
      await dependencies.requireAudiences(redirect.client, request.scopes)
      const { signedInSid } = progress
      const browser = { sessionCookie, signedInSid }
      const valid = { redirect, request, stored, organizationId, progress }
      const { sessions: candidates, hintNamesNone } = await sessionCandidates(valid, browser, dependencies)
      const required = await withQuestions(
        await withFactors(
          requiredInteraction(redirect.client.neverAsksConsent ? withoutConsent(request) : request, {
            candidates,
            hintNamesNone,
            progress,
            now: now(),
          }),
          valid,
          dependencies,
        ),
        valid,
        dependencies,
      )
      const findBranding = () => dependencies.branding.ofSignIn(signInContext(valid, required))
      const assessed = { ...valid, findBranding }
      if (required.kind === 'none') {
        const { session } = required
        const respond = () =>
          withRedirectErrors(redirect, parameters, () => issue(valid, session, sessionCookie, dependencies))
        return { ...assessed, interaction: 'none', respond }
      }
      if (request.prompts.has('none')) throw promptNoneError(required)
      if (required.kind === 'consent' || required.kind === 'accept-roles')
        return { ...assessed, ...(await question(required, dependencies)) }
      return { ...assessed, ...(await signIn(valid, required, candidates, dependencies)) }
    })
  }
}

function withoutConsent({ prompts, ...request }: AuthorizationRequest): AuthorizationRequest {
  return { ...request, prompts: new Set([...prompts].filter((prompt) => prompt !== 'consent')) }
}

function signInContext(
  { redirect, organizationId, progress }: ValidRequest,
  required: RequiredInteraction,
): SignInContext {
  const session = 'session' in required ? required.session : undefined
  // The password of a new sign-in can be that of another user than the session of the browser.
  const isNew = required.kind === 'sign-in' || session === undefined
  const user = isNew ? (progress.passwordProof ?? session) : session
  return { organizationId, projectId: redirect.client.projectId, userOrganizationId: user?.organizationId }
}

/**
 * Checks a signed-in user in this order: the projects of the audience admit the user, the roles offered before this
 * sign-in are answered, and consent is given.
 */
async function withQuestions(
  required: RequiredInteraction,
  { redirect, request, progress }: ValidRequest,
  { requireProjectAccess, findRoleOffer, needsConsent }: AuthorizeDependencies,
): Promise<RequiredInteraction> {
  if (required.kind !== 'none' && required.kind !== 'consent') return required
  const { session } = required
  await requireProjectAccess(redirect.client, session, request.scopes)
  const offer = session.sid === progress.signedInSid ? await findRoleOffer(session.userId) : undefined
  if (offer !== undefined) return { kind: 'accept-roles', session, offer }
  if (required.kind === 'consent' || session.sid === progress.consentedSid) return required
  const isNeeded = await needsConsent(redirect.client, session.userId, askedScopes(request))
  return isNeeded ? { kind: 'consent', session } : required
}

/** Applies the second-factor policies of the organization and the `acr` of the request to the session. */
async function withFactors(
  required: RequiredInteraction,
  { request, progress }: Pick<ValidRequest, 'request' | 'progress'>,
  { findFactorPolicy, findSecondFactors, now }: AuthorizeDependencies,
): Promise<RequiredInteraction> {
  if (required.kind !== 'none' && required.kind !== 'consent') return required
  const { session } = required
  const missing = sessionDemand(await findFactorPolicy(session.organizationId), session, {
    mfaWanted: wantsMfa(request),
    isSignedInNow: session.sid === progress.signedInSid,
    now: now(),
  })
  if (missing === undefined) return required
  // A person who only has the browser of a user must not add a second factor to the account.
  const isOld = now().getTime() - session.authenticatedAt > PROOF_LIFETIME_MS
  const mayProve = async () => hasOtherFactor(await findSecondFactors(session.userId), session.amr)
  const needsPassword = missing === 'password' || (isOld && !(await mayProve()))
  return { kind: needsPassword ? 'sign-in' : 'second-factor', session }
}

async function issue(
  { redirect, request }: ValidRequest,
  session: BrowserSession,
  sessionCookie: string | undefined,
  { issueResponse, sessions, responses }: AuthorizeDependencies,
): Promise<IssuedResponse> {
  const members = await issueResponse(redirect, request, session)
  return {
    response: responses.success(redirect, members),
    sessionCookie: sessionCookie === undefined ? undefined : await sessions.touch(sessionCookie, session),
  }
}

/** The members of an assessment that asks the signed-in user a question. */
async function question(
  required: Extract<RequiredInteraction, { kind: 'consent' | 'accept-roles' }>,
  { findAccountNames }: AuthorizeDependencies,
) {
  const { session } = required
  const loginName = (await findAccountNames(session.userId))?.loginName ?? ''
  if (required.kind === 'consent') return { interaction: 'consent', session, loginName } as const
  return { interaction: 'accept-roles', session, offer: required.offer, loginName } as const
}

/** The members of an assessment that asks the user to sign in, choose an account or register. */
async function signIn(
  { request, organizationId, redirect }: ValidRequest,
  required: Exclude<RequiredInteraction, { kind: 'none' | 'consent' | 'accept-roles' }>,
  candidates: readonly BrowserSession[],
  { findAccountNames, findRegistrationPolicy }: AuthorizeDependencies,
) {
  const accounts = await accountChoices(
    candidates,
    loginHintOf({ request, organizationId, redirect }),
    findAccountNames,
  )
  const policy = await findRegistrationPolicy(organizationId)
  const again = 'session' in required ? required.session : undefined
  const known = accounts.find(({ sid }) => sid === again?.sid)
  return {
    interaction: required.kind,
    session: again,
    accounts,
    loginName: request.loginHint || (known?.loginName ?? ''),
    registration: policy?.isAllowed ? policy : undefined,
  }
}

/** OIDC Core section 3.1.2.6: the error for prompt=none when the user would have to do something. */
function promptNoneError({
  kind,
}: RequiredInteraction): LoginRequiredError | InteractionRequiredError | ConsentRequiredError {
  if (kind === 'consent') {
    return new ConsentRequiredError('The user has to allow what the application asks for', {
      reason: 'consent_required',
    })
  }
  if (kind === 'second-factor') {
    return new InteractionRequiredError('The user has to prove a second factor', {
      reason: 'second_factor_required',
    })
  }
  return kind === 'choose-account' || kind === 'hinted-sign-in'
    ? new InteractionRequiredError('The user has to choose one of several accounts', {
        reason: 'account_selection_required',
      })
    : new LoginRequiredError('The user has to sign in', { reason: 'login_required' })
}
