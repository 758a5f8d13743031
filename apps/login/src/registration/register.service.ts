// Creates an account for a pending request (Initiating User Registration via OpenID Connect 1.0) and signs the user
// in.
import type { AuthorizationFlow } from '../authorize/authorization-flow.ts'
import type { RegistrationProblem } from '../authorize/registration-rules.ts'
import type { Browser } from '../sessions/browser.ts'
import type { NextStep } from '../sessions/sign-in-proof.ts'
import { proofOf, type SignedIn, type VerifiedAccount } from '../sessions/sign-in-proof.ts'
import type { SignInSteps } from '../sign-in/sign-in-steps.ts'

/** The fields of the registration form. */
interface RegistrationForm {
  readonly userName: string
  readonly email: string
  readonly givenName: string
  readonly familyName: string
  readonly password: string
}

interface Registration extends RegistrationForm {
  /** BCP 47, the language of the page. */
  readonly preferredLanguage: string
  /** Network address of the user, for the audit log and the rate limit. */
  readonly clientAddress: string
}

/**
 * Creates an account in an organization, or in the default one where none is given, or returns the problems of the
 * form.
 */
export type RegisterAccount = (
  registration: Registration & {
    readonly organizationId: string | undefined
    /** The application from which the person came. */
    readonly clientId: string
  },
) => Promise<
  | { readonly account: VerifiedAccount }
  | { readonly account?: undefined; readonly problems: readonly RegistrationProblem[] }
>

type RegisterOutcome =
  | { readonly kind: 'refused'; readonly problems: readonly RegistrationProblem[] }
  | NextStep
  | SignedIn

interface RegisterDependencies {
  readonly registerAccount: RegisterAccount
  readonly steps: SignInSteps
  readonly flow: Pick<AuthorizationFlow, 'assess'>
  readonly now: () => Date
}

/** Creates an account for a pending request of this browser and signs the user in. Throws PageExpiredError. */
export type Register = (
  requestId: string,
  browser: Browser,
  registration: Registration,
) => Promise<RegisterOutcome>

export function createRegister({ registerAccount, steps, flow, now }: RegisterDependencies): Register {
  return async (requestId, browser, registration) => {
    const { organizationId, redirect } = await flow.assess(requestId, browser)
    const { clientId } = redirect.client
    const outcome = await registerAccount({ ...registration, organizationId, clientId })
    if (outcome.account === undefined) return { kind: 'refused', problems: outcome.problems }
    return steps.advance(requestId, browser, proofOf(outcome.account, now()))
  }
}
