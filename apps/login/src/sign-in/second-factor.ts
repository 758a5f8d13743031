import type { AuthorizationFlow } from '../authorization/authorization-flow.ts'
import type { Browser } from '../browser/browser.ts'
import type { BrowserSessions } from '../sessions/browser-sessions.ts'
import { totpCounter } from '../throttling/attempt-counter.ts'
import type { DeviceCookies } from '../throttling/device-cookie.ts'
import type { Throttled, ThrottledAttempt } from '../throttling/sign-in-throttle.ts'
import type { PasswordProof } from './password-proof.ts'
import type { SignedIn } from './sign-in.ts'

interface SecondFactor {
  readonly code: string
  /** Network address of the person, for the audit trail. */
  readonly clientAddress: string
}

/** Compares a code with the TOTP secret of an account, each code once; false for every reason alike. */
export type VerifyTotp = (
  request: SecondFactor & { readonly userId: string; readonly throttled: boolean },
) => Promise<boolean>

/** `password-first`: there is no password to go with the code, or it was too long ago. */
type SecondFactorOutcome = { readonly kind: 'refused' | 'password-first' } | Throttled | SignedIn

export interface SecondFactorFlow {
  /** Whether a password was right for this pending request, so that a code is the next thing to ask for. */
  isNext(requestId: string, browser: Browser): Promise<boolean>
  /** Ends a sign-in that a password began. */
  signIn(requestId: string, browser: Browser, factor: SecondFactor): Promise<SecondFactorOutcome>
}

export interface SecondFactorDependencies {
  readonly verifyTotp: VerifyTotp
  readonly attempt: ThrottledAttempt
  readonly devices: DeviceCookies
  readonly sessions: BrowserSessions
  readonly flow: Pick<AuthorizationFlow, 'look' | 'note'>
  readonly now: () => Date
}

// Long enough to find the telephone.
const PROOF_LIFETIME_MS = 10 * 60_000
// Of a million codes three are right at a time.
const FREE_FAILURES = 5

export function createSecondFactor(dependencies: SecondFactorDependencies): SecondFactorFlow {
  const { verifyTotp, attempt, devices, sessions, flow, now } = dependencies

  async function proofFor(requestId: string, browser: Browser): Promise<PasswordProof | undefined> {
    const { passwordProof } = (await flow.look(requestId, browser)).progress
    if (passwordProof === undefined) return undefined
    return now().getTime() - passwordProof.verifiedAt <= PROOF_LIFETIME_MS ? passwordProof : undefined
  }

  return {
    isNext: async (requestId, browser) => (await proofFor(requestId, browser)) !== undefined,
    async signIn(requestId, browser, { code, clientAddress }) {
      const proof = await proofFor(requestId, browser)
      if (proof === undefined) return { kind: 'password-first' }
      const { verifiedAt, deviceKey, ...account } = proof
      const { userId } = account
      const factor = { userId, code, clientAddress }
      // Only who knows the password can fail here: that a browser is known needs no counter of its own.
      const outcome = await attempt(
        { counter: totpCounter(userId), freeFailures: FREE_FAILURES, clientAddress },
        async () => ((await verifyTotp({ ...factor, throttled: false })) ? true : undefined),
      )
      if (outcome.kind === 'failed') return { kind: 'refused' }
      if (outcome.kind === 'throttled') {
        if (outcome.by === 'account') await verifyTotp({ ...factor, throttled: true })
        return outcome
      }
      const amr = ['pwd', 'otp', 'mfa']
      const { cookie, session } = await sessions.signIn(browser.sessionCookie, { ...account, amr })
      await flow.note(requestId, browser, { signedInSid: session.sid, passwordProof: undefined })
      const deviceCookie = devices.issue(browser.deviceCookie, deviceKey)
      return { kind: 'signed-in', sessionCookie: cookie, deviceCookie, sid: session.sid, userId }
    },
  }
}
