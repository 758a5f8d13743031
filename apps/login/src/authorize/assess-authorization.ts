// Decides how a request continues: by a response, an error, or an interaction with the user.

import { detailRefusal, type GrantedDetail } from '@signet/protocol/authorization-details'
import {
  ConsentRequiredError,
  InteractionRequiredError,
  InvalidRequestError,
  LoginRequiredError,
  namingUser,
} from '@signet/protocol/errors'
import { audienceScope } from '@signet/protocol/resource-indicator'
import type { FindBranding, SignInContext } from '../branding/find-branding.ts'
import { accountChoices } from '../sessions/account-names.ts'
import type { BrowserSession } from '../sessions/browser-session.ts'
import type { Assessment, IssuedResponse, ValidRequest } from './authorization-flow.ts'
import { type AuthorizationRequest, readAuthorizationRequest } from './authorization-request.ts'
import { type GateDependencies, type GateInteraction, passGates, type Selection } from './gates.ts'
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
import { type SelectedSession, selectSession } from './select-session.ts'
import {
  type CandidateBrowser,
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

/** The interaction before the response of a request; `none`: there is none. */
type Required = GateInteraction | Extract<SelectedSession, { kind: 'none' }>

interface AuthorizeDependencies extends CandidateDependencies, GateDependencies {
  readonly hints: IdTokenHints
  readonly findClient: FindClient
  readonly findResources: FindResources
  readonly findDetails: FindDetails
  readonly readOrganizationContext: ReadOrganizationContext
  readonly findRegistrationPolicy: FindRegistrationPolicy
  readonly issueResponse: IssueResponse
  readonly responses: AuthorizationResponses
  readonly branding: FindBranding
  readonly now: () => Date
}

/** The projects that `resource` names (RFC 8707). Throws InvalidTargetError for one that the application may not name. */
export type FindResources = (client: Client, resource: string | undefined) => Promise<readonly string[]>

/**
 * The details of `authorization_details` with the projects of their types (RFC 9396). Throws InvalidAuthorizationDetailsError for
 * those that the application may not ask for.
 */
export type FindDetails = (client: Client, text: string) => Promise<readonly GrantedDetail[]>

/** The dependencies of the check of a request without a session. */
export type RequestReading = Pick<
  AuthorizeDependencies,
  'findClient' | 'findResources' | 'findDetails' | 'hints'
>

/**
 * Checks the parameters of a request without the session of the browser. Throws AuthorizePageError until the redirect
 * URI is proven, then AuthorizationResponseError.
 */
export async function readRequest(
  received: RequestParameters,
  { findClient, findResources, findDetails, hints }: RequestReading,
  { isPushed }: { readonly isPushed: boolean },
): Promise<Pick<ValidRequest, 'redirect' | 'request' | 'stored'>> {
  const redirect = await proveRedirect(received, findClient)
  return withRedirectErrors(redirect, received, async () => {
    if (!isPushed) requireNoPush(redirect.client)
    requireSignedResponse(redirect)
    const parameters = await hints.shortened(received)
    const read = readAuthorizationRequest(parameters, redirect.client)
    const named = await findResources(redirect.client, parameters.get('resource'))
    const text = parameters.get('authorization_details')
    const details = text === undefined ? [] : await findDetails(redirect.client, requireCode(read, text))
    const asked = [...read.scopes, ...named.map(audienceScope)]
    const ofDetails = details.map(({ projectId }) => audienceScope(projectId))
    const request = {
      ...read,
      scopes: [...new Set([...asked, ...ofDetails])],
      ...(details.length > 0 && {
        details,
        scopesOfDetails: ofDetails.filter((scope) => !asked.includes(scope)),
      }),
    }
    return { redirect, request, stored: knownParameters(parameters) }
  })
}

/** Returns details that come with a code: tokens of the authorization endpoint cannot be narrowed. */
function requireCode({ responseType }: AuthorizationRequest, details: string): string {
  if (responseType === 'code') return details
  throw detailRefusal('details_not_taken', 'is only taken with response_type=code')
}

/** RFC 9126 section 5: `require_pushed_authorization_requests`. */
function requireNoPush({ requiresPush }: Client): void {
  if (!requiresPush) return
  throw new InvalidRequestError(
    'This application must push its request to pushed_authorization_request_endpoint and send the request_uri',
    { reason: 'push_required' },
  )
}

/** FAPI 2.0 Message Signing section 5.4.1. */
function requireSignedResponse({ client, isSigned }: ProvenRedirect): void {
  if (isSigned || !client.requiresSignedResponses) return
  throw new InvalidRequestError(
    'This application takes signed responses only: send response_mode=jwt, query.jwt, fragment.jwt or form_post.jwt',
    { reason: 'signed_response_required' },
  )
}

/** Assesses a request. Throws AuthorizePageError until the redirect URI is proven, then AuthorizationResponseError. */
export type AssessAuthorization = (
  parameters: RequestParameters,
  browser: {
    readonly sessionCookie: string | undefined
    /** The live sessions of the browser, where they are known already. */
    readonly sessions?: readonly BrowserSession[]
    readonly progress: Progress
  },
) => Promise<Assessment>

export function createAssessAuthorization(dependencies: AuthorizeDependencies): AssessAuthorization {
  const { readOrganizationContext } = dependencies
  return async (parameters, { sessionCookie, sessions, progress }) => {
    const { redirect, request, stored } = await readRequest(parameters, dependencies, {
      isPushed: progress.opening !== undefined,
    })
    return withRedirectErrors(redirect, parameters, async () => {
      const organizationId = await readOrganizationContext(request.scopes)
      const valid = { redirect, request, stored, organizationId, progress }
      let userId: string | undefined
      const select = createSingleRun(async () => {
        const selection = await findSelection(valid, { sessionCookie, sessions }, dependencies)
        userId = userOf(selection.selected)
        return selection
      })
      return namingUser(
        () => userId,
        async () => {
          const required = (await passGates({ ...valid, select }, dependencies)) ?? (await select()).selected
          const findBranding = () => dependencies.branding.ofSignIn(signInContext(valid, required))
          const assessed = { ...valid, findBranding }
          if (required.kind === 'none') {
            const { session } = required
            const respond = () =>
              withRedirectErrors(redirect, parameters, () =>
                namingUser(
                  () => userId,
                  () => issue(valid, session, sessionCookie, dependencies),
                ),
              )
            return { ...assessed, interaction: 'none', respond }
          }
          if (request.prompts.has('none')) throw promptNoneError(required)
          if (isQuestion(required)) return { ...assessed, ...(await question(required, dependencies)) }
          return {
            ...assessed,
            ...(await signIn(valid, required, (await select()).candidates, dependencies)),
          }
        },
      )
    })
  }
}

const userOf = (selected: SelectedSession) => ('session' in selected ? selected.session?.userId : undefined)

/** The sessions that satisfy a request, and the one that answers it. */
async function findSelection(
  valid: ValidRequest,
  known: Pick<CandidateBrowser, 'sessionCookie' | 'sessions'>,
  dependencies: AuthorizeDependencies,
): Promise<Selection> {
  const { request, progress } = valid
  const browser = { ...known, signedInSid: progress.signedInSid }
  const { sessions: candidates, hintNamesNone } = await sessionCandidates(valid, browser, dependencies)
  const facts = { candidates, hintNamesNone, progress, now: dependencies.now() }
  return { candidates, selected: selectSession(request, facts) }
}

/** Runs the work at the first call only. */
function createSingleRun<T>(work: () => Promise<T>): () => Promise<T> {
  let started: Promise<T> | undefined
  return () => {
    started ??= work()
    return started
  }
}

function signInContext(
  { redirect, organizationId, progress }: ValidRequest,
  required: Required,
): SignInContext {
  const session = 'session' in required ? required.session : undefined
  // The password of a new sign-in can be that of another user than the session of the browser.
  const isNew = required.kind === 'sign-in' || session === undefined
  const user = isNew ? (progress.passwordProof ?? session) : session
  return { organizationId, projectId: redirect.client.projectId, userOrganizationId: user?.organizationId }
}

async function issue(
  { redirect, request }: ValidRequest,
  session: BrowserSession,
  sessionCookie: string | undefined,
  { issueResponse, sessions, responses }: AuthorizeDependencies,
): Promise<IssuedResponse> {
  const members = await issueResponse(redirect, request, session)
  return {
    response: await responses.success(redirect, members),
    sessionCookie:
      sessionCookie === undefined
        ? undefined
        : await sessions.touch(sessionCookie, session, redirect.client.clientId),
  }
}

type Question = Extract<GateInteraction, { kind: 'consent' | 'accept-roles' | 'link-account' }>

const isQuestion = (required: GateInteraction): required is Question =>
  ['consent', 'accept-roles', 'link-account'].includes(required.kind)

/** The members of an assessment that asks the signed-in user a question. */
async function question(required: Question, { findAccountNames }: AuthorizeDependencies) {
  const { session } = required
  const loginName = (await findAccountNames(session.userId))?.loginName ?? ''
  if (required.kind === 'consent') return { interaction: 'consent', session, loginName } as const
  if (required.kind === 'link-account')
    return { interaction: 'link-account', session, person: required.person, loginName } as const
  return { interaction: 'accept-roles', session, offer: required.offer, loginName } as const
}

/** The members of an assessment that asks the user to sign in, choose an account or register. */
async function signIn(
  { request, organizationId, redirect }: ValidRequest,
  required: Exclude<GateInteraction, Question>,
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
}: Required): LoginRequiredError | InteractionRequiredError | ConsentRequiredError {
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
