import type {
  FindRegistrationPolicy,
  NewPasswordProblem,
  RegistrationPolicy,
} from '../authorize/registration-rules.ts'
import type { FindAccountNames } from '../sessions/account-names.ts'
import type { Browser } from '../sessions/browser.ts'
import type { Authentication } from '../sessions/browser-sessions.ts'
import type { NextStep, SignedIn } from '../sessions/sign-in-proof.ts'
import type { SignInSteps } from './sign-in-steps.ts'

/** Returns undefined for an account that does not require a password change. */
export type ChangePassword = (change: {
  readonly userId: string
  readonly password: string
  /** Network address of the user, for the audit log. */
  readonly clientAddress: string
}) => Promise<
  | {
      readonly account: Omit<Authentication, 'amr' | 'factors' | 'signedInFrom' | 'clientId'> & {
        readonly deviceKey: string
      }
    }
  | { readonly problems: readonly NewPasswordProblem[] }
  | undefined
>

type NewPasswordOutcome =
  | { readonly kind: 'refused'; readonly problems: readonly NewPasswordProblem[] }
  | { readonly kind: 'password-first' }
  | NextStep
  | SignedIn

export interface NewPasswordFlow {
  /** The password rules and the login name of the person; undefined where no new password is required. */
  rules(
    requestId: string,
    browser: Browser,
  ): Promise<{ readonly policy: RegistrationPolicy; readonly loginName: string } | undefined>
  /** Changes the password, ends all other sessions of the user and continues the sign-in. */
  change(
    requestId: string,
    browser: Browser,
    chosen: { readonly password: string; readonly clientAddress: string },
  ): Promise<NewPasswordOutcome>
}

interface NewPasswordDependencies {
  readonly changePassword: ChangePassword
  readonly findRegistrationPolicy: FindRegistrationPolicy
  readonly findAccountNames: FindAccountNames
  readonly steps: SignInSteps
}

export function createNewPassword(dependencies: NewPasswordDependencies): NewPasswordFlow {
  const { changePassword, findRegistrationPolicy, findAccountNames, steps } = dependencies
  return {
    async rules(requestId, browser) {
      const proof = await steps.find(requestId, browser, 'new-password')
      if (proof === undefined) return undefined
      const [policy, names] = await Promise.all([
        findRegistrationPolicy(proof.organizationId),
        findAccountNames(proof.userId),
      ])
      return policy && { policy, loginName: names?.loginName ?? '' }
    },
    async change(requestId, browser, { password, clientAddress }) {
      const proof = await steps.find(requestId, browser, 'new-password')
      if (proof === undefined) return { kind: 'password-first' }
      const outcome = await changePassword({ userId: proof.userId, password, clientAddress })
      if (outcome === undefined) return { kind: 'password-first' }
      if ('problems' in outcome) return { kind: 'refused', problems: outcome.problems }
      return steps.advance(requestId, browser, {
        ...proof,
        ...outcome.account,
        passwordChangeRequired: false,
      })
    },
  }
}
