import type { FindRegistrationPolicy, RegistrationPolicy } from '../registration/registration-rules.ts'
import type { Browser } from '../sessions/browser.ts'
import type { Authentication } from '../sessions/browser-sessions.ts'
import type { SignedIn } from './password-proof.ts'
import type { NextStep, SignInSteps } from './sign-in-steps.ts'

export const NEW_PASSWORD_PROBLEMS = [
  'password_too_short',
  'password_too_long',
  'password_common',
  'password_policy',
  'password_same',
] as const

export type NewPasswordProblem = (typeof NEW_PASSWORD_PROBLEMS)[number]

/** Undefined for an account whose password does not have to be changed. */
export type ChangePassword = (change: {
  readonly userId: string
  readonly password: string
  /** Network address of the person, for the audit trail. */
  readonly clientAddress: string
}) => Promise<
  | { readonly account: Omit<Authentication, 'amr'> & { readonly deviceKey: string } }
  | { readonly problems: readonly NewPasswordProblem[] }
  | undefined
>

type NewPasswordOutcome =
  | { readonly kind: 'refused'; readonly problems: readonly NewPasswordProblem[] }
  | { readonly kind: 'password-first' }
  | NextStep
  | SignedIn

export interface NewPasswordFlow {
  /** The rules to show; undefined where no new password is to be chosen. */
  rules(requestId: string, browser: Browser): Promise<RegistrationPolicy | undefined>
  /** Gives the person the password and goes on with the sign-in; every other session of the person ends. */
  change(
    requestId: string,
    browser: Browser,
    chosen: { readonly password: string; readonly clientAddress: string },
  ): Promise<NewPasswordOutcome>
}

interface NewPasswordDependencies {
  readonly changePassword: ChangePassword
  readonly findRegistrationPolicy: FindRegistrationPolicy
  readonly steps: SignInSteps
}

export function createNewPassword(dependencies: NewPasswordDependencies): NewPasswordFlow {
  const { changePassword, findRegistrationPolicy, steps } = dependencies
  return {
    async rules(requestId, browser) {
      const proof = await steps.find(requestId, browser, 'new-password')
      return proof && findRegistrationPolicy(proof.organizationId)
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
