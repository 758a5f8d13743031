import type { Browser } from '../sessions/browser.ts'
import { type CodeAttemptDependencies, tryCode } from './code-attempt.ts'
import type { NextStep, SignInSteps } from './sign-in-steps.ts'
import type { Throttled } from './throttle.ts'
import type { SignedIn } from './verified-account.ts'

export interface SecondFactor {
  readonly code: string
  /** Network address of the person, for the audit trail. */
  readonly clientAddress: string
}

/** Compares a code with the TOTP secret of an account, each code once; false for every reason alike. */
export type VerifyTotp = (
  request: SecondFactor & { readonly userId: string; readonly throttled: boolean },
) => Promise<boolean>

/** `password-first`: there is no password to go with the code, or it was too long ago. */
export type SecondFactorOutcome =
  | { readonly kind: 'refused' | 'password-first' }
  | NextStep
  | Throttled
  | SignedIn

export interface SecondFactorFlow {
  /** Whether a password was right for this pending request, so that a code is the next thing to ask for. */
  isNext(requestId: string, browser: Browser): Promise<boolean>
  /** Goes on with a sign-in that a password or a session began. */
  signIn(requestId: string, browser: Browser, factor: SecondFactor): Promise<SecondFactorOutcome>
}

export interface SecondFactorDependencies extends CodeAttemptDependencies {
  readonly verifyTotp: VerifyTotp
  readonly steps: SignInSteps
  readonly now: () => Date
}

export function createSecondFactor(dependencies: SecondFactorDependencies): SecondFactorFlow {
  const { verifyTotp, steps, now } = dependencies
  return {
    isNext: async (requestId, browser) => (await steps.find(requestId, browser, 'code')) !== undefined,
    async signIn(requestId, browser, { code, clientAddress }) {
      const proof = await steps.find(requestId, browser, 'code')
      if (proof === undefined) return { kind: 'password-first' }
      const factor = { userId: proof.userId, code, clientAddress }
      const verify = (throttled: boolean) => verifyTotp({ ...factor, throttled })
      const outcome = await tryCode(proof, clientAddress, verify, dependencies)
      if (outcome.kind !== 'accepted') return outcome
      const proven = { ...proof, secondFactor: 'proven', verifiedAt: now().getTime() } as const
      return steps.advance(requestId, browser, proven)
    },
  }
}
