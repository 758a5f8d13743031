// Second factors by RFC 6238: verifies the code of a sign-in, and adds a second factor to an account that has none. A
// recovery code stands in for the code.
import { TemporarilyUnavailableError } from '@signet/protocol/errors'
import type { Browser } from '../sessions/browser.ts'
import type { FindFactorPolicy, FindSecondFactors } from '../sessions/factor-policy.ts'
import {
  type NextStep,
  type OwnChange,
  ownChange,
  type SignedIn,
  type SignInProof,
  withFactor,
} from '../sessions/sign-in-proof.ts'
import type { BrowserTrust } from './browser-trust.ts'
import type { SignInSteps } from './sign-in-steps.ts'
import { type Throttled, type ThrottledAttempt, totpCounter } from './throttle.ts'

export interface SecondFactor {
  /** A code of an authenticator app, or a recovery code. */
  readonly code: string
  /** Network address of the user, for the audit log. */
  readonly clientAddress: string
  /** X-Request-Id of the response: administrators find a refusal by it. */
  readonly responseId?: string
}

/** Verifies a code, each code once. Returns false for every kind of failure. */
export type VerifyCode = (
  request: SecondFactor & {
    readonly userId: string
    readonly throttled: boolean
    /** The application of the sign-in. */
    readonly clientId?: string
    /** The user is signed in already, and proves it for a change of the own account. */
    readonly confirms?: boolean
  },
) => Promise<boolean>

/** These factors, as a session names them. */
export const TOTP_FACTOR = 'totp'
export const RECOVERY_CODES_FACTOR = 'recovery_codes'

/** Whether an entered code can come from an authenticator app; recovery codes have letters. */
export const isTotpCode = (code: string): boolean => /^[\d\s]*$/.test(code)

/** Verifies codes of authenticator apps and recovery codes. */
export function createCodeVerifier({
  verifyTotp,
  verifyRecoveryCode,
}: {
  readonly verifyTotp: VerifyCode
  readonly verifyRecoveryCode: VerifyCode
}): VerifyCode {
  return (request) => (isTotpCode(request.code) ? verifyTotp(request) : verifyRecoveryCode(request))
}

/** `password-first`: there is no verified password, or it has expired. */
export type SecondFactorOutcome =
  | { readonly kind: 'refused' }
  | { readonly kind: 'password-first' }
  | NextStep
  | Throttled
  | SignedIn

export interface SecondFactorFlow {
  /** Whether a password was verified for this pending request and a code is the next step. */
  isNext(requestId: string, browser: Browser): Promise<boolean>
  /** The codes that the account accepts. */
  accepted(requestId: string, browser: Browser): Promise<AcceptedCodes>
  /** Continues a sign-in with a code. */
  signIn(
    requestId: string,
    browser: Browser,
    factor: SecondFactor & TrustChoice,
  ): Promise<SecondFactorOutcome>
}

export interface AcceptedCodes {
  readonly totp: boolean
  readonly recoveryCode: boolean
  /** Number of seconds for which the user may trust this browser, which then asks for no code; 0 offers no trust. */
  readonly trustSeconds: number
}

interface SecondFactorDependencies extends CodeAttemptDependencies {
  readonly verifyCode: VerifyCode
  readonly findSecondFactors: FindSecondFactors
  readonly browserTrust: Pick<BrowserTrust, 'seconds' | 'add'>
  readonly steps: SignInSteps
  readonly now: () => Date
}

export function createSecondFactor(dependencies: SecondFactorDependencies): SecondFactorFlow {
  const { verifyCode, findSecondFactors, browserTrust, steps, now } = dependencies
  return {
    isNext: async (requestId, browser) => (await steps.find(requestId, browser, 'code')) !== undefined,
    async accepted(requestId, browser) {
      const proof = await steps.find(requestId, browser, 'code')
      if (proof === undefined) return { totp: false, recoveryCode: false, trustSeconds: 0 }
      const [{ totp, recoveryCodes }, trustSeconds] = await Promise.all([
        findSecondFactors(proof.userId),
        browserTrust.seconds(proof.organizationId),
      ])
      return { totp, recoveryCode: recoveryCodes > 0, trustSeconds }
    },
    async signIn(requestId, browser, { trustsBrowser, agent, ...entered }) {
      const { code, clientAddress } = entered
      const proof = await steps.find(requestId, browser, 'code')
      if (proof === undefined) return { kind: 'password-first' }
      const factor = { ...entered, userId: proof.userId, clientId: proof.clientId }
      const verify = (throttled: boolean) => verifyCode({ ...factor, throttled })
      const outcome = await tryCode(proof, clientAddress, verify, dependencies)
      if (outcome.kind !== 'accepted') return outcome
      const after = withFactor(proof, isTotpCode(code) ? TOTP_FACTOR : RECOVERY_CODES_FACTOR, ['otp'])
      const verifiedAt = now().getTime()
      if (!isTotpCode(code)) {
        const { totp, passkey } = await findSecondFactors(proof.userId)
        // The other factors no longer count: with the recovery code a new one is added, before the codes run out.
        if (!totp && !passkey) {
          return steps.advance(requestId, browser, { ...after, secondFactor: 'enrolment', verifiedAt })
        }
      }
      const proven = { ...after, secondFactor: 'proven', verifiedAt } as const
      // A person who uses a recovery code has lost a factor, so every browser asks again.
      const isTrusted = trustsBrowser && isTotpCode(code)
      return steps.advance(
        requestId,
        browser,
        await trusted(proven, { trustsBrowser: isTrusted, clientAddress, agent }, browserTrust),
      )
    },
  }
}

/** A secret for an authenticator app; it becomes the second factor after a correct code. */
export interface NewSecret {
  /** Base32, for typing. */
  readonly secret: string
  /** otpauth:// URI. */
  readonly uri: string
}

/** Creates a secret, or returns that of `enrolment`. Returns undefined for an account with a second factor. */
export type BeginEnrolment = (
  owner: OwnChange,
  request: {
    readonly enrolment: string
    /** The person used another factor in this sign-in. Without it, an account with a passkey is refused. */
    readonly passkeyProven: boolean
  },
) => Promise<(NewSecret & { readonly enrolment: string }) | undefined>

/** Makes a secret the second factor of an account if the code is correct. Returns false for every kind of failure. */
export type ConfirmEnrolment = (
  owner: OwnChange,
  request: Pick<SecondFactor, 'code'> & {
    readonly enrolment: string
    readonly passkeyProven: boolean
    readonly throttled: boolean
  },
) => Promise<boolean>

export interface EnrolmentFlow {
  /** Whether adding a second factor is the next step. */
  isNext(requestId: string, browser: Browser): Promise<boolean>
  /** The secret to show, the same one during a pending request; undefined when no second factor is to be added. */
  show(requestId: string, browser: Browser): Promise<NewSecret | undefined>
  /** Adds the second factor and continues the sign-in, with new recovery codes. */
  confirm(requestId: string, browser: Browser, factor: SecondFactor): Promise<EnrolmentOutcome>
}

export type EnrolmentOutcome =
  | Exclude<SecondFactorOutcome, NextStep | SignedIn>
  | ((NextStep | SignedIn) & {
      /** Absent while the directory is unavailable, and after the code of a known factor. */
      readonly recoveryCodes?: readonly string[] | undefined
    })

/** Replaces the recovery codes of a person; undefined for an account without a second factor. */
export type MakeRecoveryCodes = (owner: OwnChange) => Promise<readonly string[] | undefined>

interface EnrolmentDependencies extends CodeAttemptDependencies {
  readonly beginEnrolment: BeginEnrolment
  readonly confirmEnrolment: ConfirmEnrolment
  readonly makeRecoveryCodes: MakeRecoveryCodes
  readonly steps: SignInSteps
  readonly now: () => Date
}

/** Whether the person proved a factor besides a password in this sign-in: a passkey or a recovery code. */
export const hasProvenFactor = ({ amr }: Pick<SignInProof, 'amr'>) =>
  amr.includes('pop') || amr.includes('otp')

export function createEnrolment(dependencies: EnrolmentDependencies): EnrolmentFlow {
  const { beginEnrolment, confirmEnrolment, makeRecoveryCodes, steps, now } = dependencies

  /** Undefined while the directory is unavailable: the sign-in continues, and the user creates codes later. */
  async function newCodes(owner: Parameters<MakeRecoveryCodes>[0]) {
    try {
      return await makeRecoveryCodes(owner)
    } catch (error) {
      if (error instanceof TemporarilyUnavailableError) return undefined
      throw error
    }
  }
  return {
    isNext: async (requestId, browser) => (await steps.find(requestId, browser, 'enrolment')) !== undefined,
    async show(requestId, browser) {
      const proof = await steps.find(requestId, browser, 'enrolment')
      if (proof === undefined) return undefined
      const { enrolment: known = '' } = proof
      const request = { enrolment: known, passkeyProven: hasProvenFactor(proof) }
      const begun = await beginEnrolment(ownChange(proof, ''), request)
      if (begun === undefined) return undefined
      const { enrolment, ...shown } = begun
      if (enrolment !== proof.enrolment) await steps.save(requestId, browser, { ...proof, enrolment })
      return shown
    },
    async confirm(requestId, browser, { code, clientAddress }) {
      const proof = await steps.find(requestId, browser, 'enrolment')
      if (proof?.enrolment === undefined) return { kind: 'password-first' }
      const { enrolment } = proof
      const owner = ownChange(proof, clientAddress)
      const passkeyProven = hasProvenFactor(proof)
      const verify = (throttled: boolean) =>
        confirmEnrolment(owner, { enrolment, passkeyProven, code, throttled })
      const outcome = await tryCode(proof, clientAddress, verify, dependencies)
      if (outcome.kind !== 'accepted') return outcome
      const next = await steps.advance(requestId, browser, {
        ...withFactor(proof, TOTP_FACTOR, ['otp']),
        enrolment: undefined,
        secondFactor: 'proven',
        verifiedAt: now().getTime(),
      })
      return { ...next, recoveryCodes: await newCodes(owner) }
    },
  }
}

export interface TrustChoice {
  readonly trustsBrowser: boolean
  /** Names of the browser and operating system, shown to the user. */
  readonly agent: string
}

/** Adds the key of a trusted browser to the proof if the user chose that and the policy allows it. */
export async function trusted<P extends SignInProof>(
  proof: P,
  { trustsBrowser, clientAddress, agent }: TrustChoice & { readonly clientAddress: string },
  browserTrust: Pick<BrowserTrust, 'seconds' | 'add'>,
): Promise<P> {
  if (!trustsBrowser || (await browserTrust.seconds(proof.organizationId)) === 0) return proof
  return { ...proof, ...(await browserTrust.add(ownChange(proof, clientAddress), agent)) }
}

export interface CodeAttemptDependencies {
  readonly attempt: ThrottledAttempt
  readonly findFactorPolicy: FindFactorPolicy
}

/**
 * Verifies a code under the limits of the organization of the account. A throttled attempt is only written to the audit
 * log.
 */
export async function tryCode(
  { userId, organizationId }: Pick<SignInProof, 'userId' | 'organizationId'>,
  clientAddress: string,
  verify: (throttled: boolean) => Promise<boolean>,
  { attempt, findFactorPolicy }: CodeAttemptDependencies,
): Promise<{ readonly kind: 'accepted' } | { readonly kind: 'refused' } | Throttled> {
  const { maxOtpAttempts } = await findFactorPolicy(organizationId)
  // Only a person who knows the password gets here, so known browsers need no own counter.
  const outcome = await attempt(
    { counter: totpCounter(userId), freeFailures: maxOtpAttempts, clientAddress },
    async () => ((await verify(false)) ? true : undefined),
    () => undefined,
  )
  if (outcome.kind === 'verified') return { kind: 'accepted' }
  if (outcome.kind === 'failed') return { kind: 'refused' }
  if (outcome.by === 'account') await verify(true)
  return outcome
}
