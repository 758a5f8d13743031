// The types of a sign-in with a password.
import type { AuthorizationResponse } from '../authorize/redirect.ts'
import type { Browser } from '../sessions/browser.ts'
import type { NextStep, SignedIn } from '../sessions/sign-in-proof.ts'
import type { Throttled } from './throttle.ts'

export interface Credentials {
  readonly loginName: string
  readonly password: string
  /** Network address of the user, for the audit log. */
  readonly clientAddress: string
  /** X-Request-Id of the response: administrators find a refusal by it. */
  readonly responseId?: string
}

/** The password is correct, but a policy forbids the sign-in. */
export interface ForbiddenSignIn {
  readonly kind: 'forbidden'
  /** The name of the policy in the directory. */
  readonly rule: string
}

/** A sign-in with the response to its request, unless the browser goes on to `continue`. */
export interface CompleteSignIn extends SignedIn {
  readonly response?: AuthorizationResponse | undefined
}

interface SignInForm extends Credentials {
  /** The browser can make a passkey. */
  readonly canMakePasskey: boolean
}

type SignInOutcome = { readonly kind: 'refused' } | ForbiddenSignIn | NextStep | Throttled | CompleteSignIn

/** Signs a user in for a pending request of this browser. Throws PageExpiredError when there is no such request. */
export type SignIn = (requestId: string, browser: Browser, form: SignInForm) => Promise<SignInOutcome>
