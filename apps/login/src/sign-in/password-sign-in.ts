// The types of a sign-in with a password.
import type { AuthorizationResponse } from '../authorize/redirect.ts'
import type { Browser } from '../sessions/browser.ts'
import type { NextStep, SignedIn } from '../sessions/sign-in-proof.ts'
import type { Throttled } from './throttle.ts'
import type { Credentials, ForbiddenSignIn } from './verify-password.ts'

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
