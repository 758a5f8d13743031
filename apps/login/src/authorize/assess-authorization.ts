import { ConsentRequiredError, InteractionRequiredError, LoginRequiredError } from '@signet/protocol/errors'
import { askedScopes, type NeedsConsent } from '../consent/consent-rule.ts'
import type { FindRoleOffer, RoleOffer } from '../consent/role-offers.ts'
import type { FindRegistrationPolicy, RegistrationPolicy } from '../registration/registration-rules.ts'
import { type AccountChoice, accountChoices } from '../sessions/account-names.ts'
import type { BrowserSession } from '../sessions/browser-session.ts'
import { type FindFactorPolicy, type HasSecondFactor, missingProof } from '../sign-in/factor-policy.ts'
import { PROOF_LIFETIME_MS } from '../sign-in/password-proof.ts'
import { type AuthorizationRequest, readAuthorizationRequest, wantsMfa } from './authorization-request.ts'
import type { Client, FindClient } from './client.ts'
import type { RequestParameters } from './parameters.ts'
import type { Progress } from './pending-authorization.ts'
import {
  type AuthorizationResponse,
  type AuthorizationResponses,
  type ProvenRedirect,
  proveRedirect,
  type ResponseMembers,
  toldToClient,
} from './redirect.ts'
import { type RequiredInteraction, requiredInteraction } from './required-interaction.ts'
import {
  type CandidateDependencies,
  type ReadOrganizationContext,
  sessionCandidates,
} from './session-candidates.ts'

/** Makes what the response type asks for; the caller has proven the redirect URI and the session. */
export type IssueResponse = (
  redirect: ProvenRedirect,
  request: AuthorizationRequest,
  session: BrowserSession,
) => Promise<ResponseMembers>

/** Throws InvalidScopeError for scopes that add an audience which the application may not name. */
export type RequireAudiences = (client: Client, scopes: readonly string[]) => Promise<void>

/** Throws AccessDeniedError for a person whom a project of the audience does not let in. */
export type RequireProjectAccess = (
  client: Client,
  session: BrowserSession,
  scopes: readonly string[],
) => Promise<void>

interface AuthorizeDependencies extends CandidateDependencies {
  readonly findClient: FindClient
  readonly readOrganizationContext: ReadOrganizationContext
  readonly requireAudiences: RequireAudiences
  readonly requireProjectAccess: RequireProjectAccess
  readonly needsConsent: NeedsConsent
  readonly findRoleOffer: FindRoleOffer
  readonly findRegistrationPolicy: FindRegistrationPolicy
  readonly findFactorPolicy: FindFactorPolicy
  readonly hasSecondFactor: HasSecondFactor
  readonly issueResponse: IssueResponse
  readonly responses: AuthorizationResponses
  readonly now: () => Date
}

/** A request that is right in itself. */
interface ValidRequest {
  readonly redirect: ProvenRedirect
  readonly request: AuthorizationRequest
  /** Only people of this organization may answer it. */
  readonly organizationId: string | undefined
  readonly progress: Progress
}

/** How a valid request stands: it can be answered, or the person has to do something first. */
export type Assessment = ValidRequest &
  (
    | { readonly interaction: 'none'; answer(): Promise<AuthorizationResponse> }
    | {
        readonly interaction: 'consent'
        readonly session: BrowserSession
        /** Of the account that is asked. */
        readonly loginName: string
      }
    | {
        readonly interaction: 'accept-roles'
        readonly session: BrowserSession
        readonly offer: RoleOffer
        /** Of the account that is asked. */
        readonly loginName: string
      }
    | {
        readonly interaction: 'sign-in' | 'choose-account' | 'register' | 'second-factor'
        /** The one that has to be authenticated again, or to get a second factor. */
        readonly session: BrowserSession | undefined
        /** The sessions of this browser that could be chosen instead. */
        readonly accounts: readonly AccountChoice[]
        /** What the person probably types; empty when nothing is known. */
        readonly loginName: string
        /** What holds for people who register; undefined where they may not. */
        readonly registration: RegistrationPolicy | undefined
      }
  )

/**
 * Checks a request as far as it can be judged without the browser's session. Throws AuthorizePageError until the
 * redirect URI is proven, then AuthorizationResponseError.
 */
export async function readRequest(
  parameters: RequestParameters,
  findClient: FindClient,
): Promise<Pick<ValidRequest, 'redirect' | 'request'>> {
  const redirect = await proveRedirect(parameters, findClient)
  const request = await toldToClient(redirect, parameters, async () =>
    readAuthorizationRequest(parameters, redirect.client),
  )
  return { redirect, request }
}

/** Judges a request. Throws AuthorizePageError until the redirect URI is proven, then AuthorizationResponseError. */
export type AssessAuthorization = (
  parameters: RequestParameters,
  browser: { readonly sessionCookie: string | undefined; readonly progress: Progress },
) => Promise<Assessment>

export function createAssessAuthorization(dependencies: AuthorizeDependencies): AssessAuthorization {
  const { findClient, readOrganizationContext, now } = dependencies
  return async (parameters, { sessionCookie, progress }) => {
    const { redirect, request } = await readRequest(parameters, findClient)
    return toldToClient(redirect, parameters, async () => {
      const organizationId = await readOrganizationContext(request.scopes)
      await dependencies.requireAudiences(redirect.client, request.scopes)
      const { signedInSid } = progress
      const browser = { sessionCookie, signedInSid }
      const valid = { redirect, request, organizationId, progress }
      const candidates = await sessionCandidates(request, organizationId, browser, dependencies)
      const required = await withQuestions(
        await withFactors(
          requiredInteraction(request, { candidates, progress, now: now() }),
          valid,
          dependencies,
        ),
        valid,
        dependencies,
      )
      if (required.kind === 'none') {
        const { session } = required
        const answer = () =>
          toldToClient(redirect, parameters, () => respond(valid, session, sessionCookie, dependencies))
        return { ...valid, interaction: 'none', answer }
      }
      if (request.prompts.has('none')) throw notSilently(required)
      if (required.kind === 'consent' || required.kind === 'accept-roles')
        return { ...valid, ...(await question(required, dependencies)) }
      return { ...valid, ...(await signIn(valid, required, candidates, dependencies)) }
    })
  }
}

/**
 * For a person who is signed in: may use the application at all, has answered the roles that were offered before this
 * sign-in, and has allowed the application what it asks for.
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

/** What the policies of the session's organization, or the request itself, demand of a session beyond its own age. */
async function withFactors(
  required: RequiredInteraction,
  { request, progress }: Pick<ValidRequest, 'request' | 'progress'>,
  { findFactorPolicy, hasSecondFactor, now }: AuthorizeDependencies,
): Promise<RequiredInteraction> {
  if (required.kind !== 'none' && required.kind !== 'consent') return required
  const { session } = required
  const missing = missingProof(session, await findFactorPolicy(session.organizationId), {
    mfaWanted: wantsMfa(request),
    isSignedInNow: session.sid === progress.signedInSid,
    now: now(),
  })
  if (missing === undefined) return required
  // Who only has the browser of somebody must not give them a second factor.
  const isOld = now().getTime() - session.authenticatedAt > PROOF_LIFETIME_MS
  const needsPassword = missing === 'password' || (isOld && !(await hasSecondFactor(session.userId)))
  return { kind: needsPassword ? 'sign-in' : 'second-factor', session }
}

async function respond(
  { redirect, request }: ValidRequest,
  session: BrowserSession,
  sessionCookie: string | undefined,
  { issueResponse, sessions, responses }: AuthorizeDependencies,
): Promise<AuthorizationResponse> {
  const members = await issueResponse(redirect, request, session)
  if (sessionCookie !== undefined) await sessions.touch(sessionCookie, session)
  return responses.success(redirect, members)
}

/** What the signed-in person is asked on a page of its own. */
async function question(
  required: Extract<RequiredInteraction, { kind: 'consent' | 'accept-roles' }>,
  { findAccountNames }: AuthorizeDependencies,
) {
  const { session } = required
  const loginName = (await findAccountNames(session.userId))?.loginName ?? ''
  if (required.kind === 'consent') return { interaction: 'consent', session, loginName } as const
  return { interaction: 'accept-roles', session, offer: required.offer, loginName } as const
}

/** The ways to become signed in share what their pages offer. */
async function signIn(
  { request, organizationId }: ValidRequest,
  required: Exclude<RequiredInteraction, { kind: 'none' | 'consent' | 'accept-roles' }>,
  candidates: readonly BrowserSession[],
  { findAccountNames, findRegistrationPolicy }: AuthorizeDependencies,
) {
  const accounts = await accountChoices(candidates, request.loginHint, findAccountNames)
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

/** OIDC Core section 3.1.2.6, in the words of SPEC: which account is meant is a question like any other. */
function notSilently({
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
  return kind === 'choose-account'
    ? new InteractionRequiredError('The user has to choose one of several accounts', {
        reason: 'account_selection_required',
      })
    : new LoginRequiredError('The user has to sign in', { reason: 'login_required' })
}
