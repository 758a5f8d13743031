import type { Response } from 'express'
import type { AuthorizationFlow } from '../authorize/authorization-flow.ts'
import type { AuthorizationResponse } from '../authorize/redirect.ts'
import type { LoginEvents } from '../events.ts'
import type { PageFrames } from '../pages/page.ts'
import { continuePath, offerPath, stepPath } from '../pages/paths.ts'
import type { BrowserCookies } from '../sessions/browser-cookies.ts'
import type { NextStep, SignedIn } from '../sessions/sign-in-proof.ts'
import type { CompleteSignIn } from './password-sign-in.ts'
import type { Throttled } from './throttle.ts'

export interface SignInPageDependencies {
  readonly flow: Pick<AuthorizationFlow, 'assess'>
  readonly cookies: BrowserCookies
  readonly frames: PageFrames
  readonly events: LoginEvents
}

/** Parts of a page whose form may complete a sign-in and answer its request. */
export interface AnsweringDependencies extends SignInPageDependencies {
  /** Sends a response to the application. */
  readonly sendResponse: (res: Response, response: AuthorizationResponse) => void
}

type LeavingOutcome = SignedIn | CompleteSignIn | NextStep | { readonly kind: 'password-first' }

const LEAVING_KINDS: readonly string[] = [
  'signed-in',
  'next-step',
  'password-first',
] satisfies LeavingOutcome['kind'][]

/** Whether the sign-in leaves this page: it is complete, has a next step, or starts again at the password. */
export function leavesPage(outcome: { readonly kind: string }): outcome is LeavingOutcome {
  return LEAVING_KINDS.includes(outcome.kind)
}

type StepDependencies = Pick<SignInPageDependencies, 'cookies' | 'events'>

/**
 * Sends the response of a sign-in that answers its request to the application, or redirects the browser to the next page.
 */
export function leaveSignIn(
  res: Response,
  requestId: string,
  outcome: LeavingOutcome,
  dependencies: StepDependencies & Pick<AnsweringDependencies, 'sendResponse'>,
  event: 'signedIn' | 'registered' = 'signedIn',
): void {
  const response = outcome.kind === 'signed-in' && 'response' in outcome ? outcome.response : undefined
  if (response !== undefined) dependencies.cookies.deletePending(res.req, res, requestId)
  const path = leavePage(res, requestId, outcome, dependencies, event)
  if (response === undefined) res.redirect(303, path)
  else dependencies.sendResponse(res, response)
}

/** Redirects the browser to the next page of a sign-in. A complete sign-in sets its cookies and is logged. */
export function redirectToNextStep(
  res: Response,
  requestId: string,
  outcome: LeavingOutcome,
  dependencies: StepDependencies,
  event: 'signedIn' | 'registered' = 'signedIn',
): void {
  res.redirect(303, leavePage(res, requestId, outcome, dependencies, event))
}

/** Returns the path of the next step, for a page that links to it instead of redirecting there. */
export function leavePage(
  res: Response,
  requestId: string,
  outcome: LeavingOutcome,
  { cookies, events }: StepDependencies,
  event: 'signedIn' | 'registered' = 'signedIn',
): string {
  if (outcome.kind === 'signed-in') {
    events[event](res.req, outcome)
    cookies.setSignedIn(res, outcome)
  }
  return nextPath(requestId, outcome)
}

function nextPath(requestId: string, outcome: LeavingOutcome): string {
  if (outcome.kind === 'next-step') return stepPath(outcome.step, requestId)
  const isOffered = outcome.kind === 'signed-in' && outcome.passkeyOffered
  return isOffered ? offerPath(requestId) : continuePath(requestId)
}

/** Returns the problem that the page shows. Logs a refusal, and sets Retry-After for a limit. */
export function reportProblem<K extends string>(
  res: Response,
  outcome: { readonly kind: K } | Throttled,
  events: LoginEvents,
): K | Throttled {
  if (outcome.kind !== 'unavailable') events.signInRefused(res.req)
  if (!isThrottled(outcome)) return outcome.kind
  res.setHeader('Retry-After', outcome.retryAfterSeconds)
  return outcome
}

function isThrottled(outcome: { readonly kind: string } | Throttled): outcome is Throttled {
  return outcome.kind === 'throttled'
}
