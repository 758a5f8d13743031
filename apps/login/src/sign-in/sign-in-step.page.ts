// The part that the pages of a sign-in share: password, code, new factor, new password, registration.
import { TemporarilyUnavailableError } from '@signet/protocol/errors'
import type { Response } from 'express'
import type { AuthorizationFlow } from '../authorize/authorize.service.ts'
import type { RegistrationPolicy } from '../authorize/registration-rules.ts'
import type { LoginEvents } from '../events.ts'
import type { PageFrame, PageFrames } from '../pages/page.ts'
import { continuePath, offerPath, stepPath } from '../pages/paths.ts'
import type { Texts } from '../pages/texts/message.ts'
import type { BrowserCookies } from '../sessions/browser-cookies.ts'
import type { SignedIn } from '../sessions/sign-in-proof.ts'
import type { PasskeyForms } from './passkey-form.page.ts'
import type { NextStep } from './sign-in-steps.ts'
import type { Throttled } from './throttle.ts'

export interface SignInPageDependencies {
  readonly flow: Pick<AuthorizationFlow, 'assess'>
  readonly cookies: BrowserCookies
  readonly frames: PageFrames
  readonly events: LoginEvents
  /** Undefined: there are no passkeys. */
  readonly passkeyForms: PasskeyForms | undefined
}

/** Runs a step. While the directory is unavailable, the page is shown again with the values that were entered. */
export async function orUnavailable<T>(
  work: () => Promise<T>,
): Promise<T | { readonly kind: 'unavailable' }> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof TemporarilyUnavailableError) return { kind: 'unavailable' }
    throw error
  }
}

type LeavingOutcome = SignedIn | NextStep | { readonly kind: 'password-first' }

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

/** As `redirectToNextStep`, for a page that links to the next one: returns its path. */
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

/** Names the limit that refused a sign-in and the time to wait. It says nothing about the password. */
export function throttledText({ throttled }: Texts, { by, retryAfterSeconds }: Throttled): string {
  const { seconds, minutes } = throttled[by]
  return retryAfterSeconds < 60
    ? seconds({ count: retryAfterSeconds })
    : minutes({ count: Math.ceil(retryAfterSeconds / 60) })
}

/** The rules for a new password as text. */
export function passwordHint(
  { passwordLength, passwordNeeds, passwordAdvice }: PageFrame['texts']['register'],
  { passwordMinLength, passwordNeeds: needs }: RegistrationPolicy,
): string {
  const demanded = needs.map((need) => passwordNeeds[need])
  return [passwordLength({ characters: passwordMinLength }), ...demanded, passwordAdvice].join(' ')
}
