import type { Browser } from '../sessions/browser.ts'
import { type CodeAttemptDependencies, tryCode } from './code-attempt.ts'
import type { SignInSteps } from './sign-in-steps.ts'
import type { SecondFactor, SecondFactorOutcome } from './totp.service.ts'

/** A secret for an authenticator app; it counts only after a right code. */
export interface NewSecret {
  /** Base32, for typing. */
  readonly secret: string
  /** otpauth:// */
  readonly uri: string
}

/** Makes a secret, or gives the one of `enrolment`; undefined for an account that has a second factor. */
export type BeginEnrolment = (request: {
  readonly userId: string
  readonly enrolment: string
}) => Promise<(NewSecret & { readonly enrolment: string }) | undefined>

/** Makes a secret the second factor of an account if the code is right; false for every reason alike. */
export type ConfirmEnrolment = (
  request: SecondFactor & {
    readonly userId: string
    readonly enrolment: string
    readonly throttled: boolean
  },
) => Promise<boolean>

export interface EnrolmentFlow {
  /** Whether adding a second factor is the next thing to do. */
  isNext(requestId: string, browser: Browser): Promise<boolean>
  /** The secret to show; the same one for a pending request. Undefined where none is to be added. */
  show(requestId: string, browser: Browser): Promise<NewSecret | undefined>
  /** Adds the second factor and goes on with the sign-in. */
  confirm(requestId: string, browser: Browser, factor: SecondFactor): Promise<SecondFactorOutcome>
}

export interface EnrolmentDependencies extends CodeAttemptDependencies {
  readonly beginEnrolment: BeginEnrolment
  readonly confirmEnrolment: ConfirmEnrolment
  readonly steps: SignInSteps
  readonly now: () => Date
}

export function createEnrolment(dependencies: EnrolmentDependencies): EnrolmentFlow {
  const { beginEnrolment, confirmEnrolment, steps, now } = dependencies
  return {
    isNext: async (requestId, browser) => (await steps.find(requestId, browser, 'enrolment')) !== undefined,
    async show(requestId, browser) {
      const proof = await steps.find(requestId, browser, 'enrolment')
      if (proof === undefined) return undefined
      const begun = await beginEnrolment({ userId: proof.userId, enrolment: proof.enrolment ?? '' })
      if (begun === undefined) return undefined
      const { enrolment, ...shown } = begun
      if (enrolment !== proof.enrolment) await steps.keep(requestId, browser, { ...proof, enrolment })
      return shown
    },
    async confirm(requestId, browser, { code, clientAddress }) {
      const proof = await steps.find(requestId, browser, 'enrolment')
      if (proof?.enrolment === undefined) return { kind: 'password-first' }
      const { userId, enrolment } = proof
      const verify = (throttled: boolean) =>
        confirmEnrolment({ userId, enrolment, code, clientAddress, throttled })
      const outcome = await tryCode(proof, clientAddress, verify, dependencies)
      if (outcome.kind !== 'accepted') return outcome
      return steps.advance(requestId, browser, {
        ...proof,
        enrolment: undefined,
        secondFactor: 'proven',
        verifiedAt: now().getTime(),
      })
    },
  }
}
