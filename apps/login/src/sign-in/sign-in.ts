import type { AuthorizationFlow } from '../authorization/authorization-flow.ts'
import type { Browser } from '../browser/browser.ts'
import type { Authentication, BrowserSessions } from '../sessions/browser-sessions.ts'
import type { ThrottledAttempt } from '../throttling/sign-in-throttle.ts'
import type { FindAttemptLimit } from './attempt-limit.ts'

interface Credentials {
  readonly loginName: string
  readonly password: string
  /** Network address of the person, for the audit trail. */
  readonly clientAddress: string
}

/** Who a password belongs to. */
export interface VerifiedAccount extends Omit<Authentication, 'amr'> {
  /** The password alone does not sign in. */
  readonly secondFactorRequired: boolean
}

/**
 * Compares a password, of people of one organization only when one is named. Undefined for every reason alike: wrong
 * password, unknown, inactive or locked account, and always when `throttled`.
 */
export type VerifyPassword = (
  credentials: Credentials & { readonly organizationId?: string; readonly throttled: boolean },
) => Promise<VerifiedAccount | undefined>

export interface SignedIn {
  readonly kind: 'signed-in'
  readonly sessionCookie: string
  readonly sid: string
  readonly userId: string
}

export type SignInOutcome = { readonly kind: 'refused' } | { readonly kind: 'second-factor' } | SignedIn

export interface SignInDependencies {
  readonly verifyPassword: VerifyPassword
  readonly attempt: ThrottledAttempt
  readonly findAttemptLimit: FindAttemptLimit
  readonly sessions: BrowserSessions
  readonly flow: Pick<AuthorizationFlow, 'look' | 'note'>
  readonly now: () => Date
}

/** Signs a person in for a pending request of this browser. Throws PageExpiredError when there is no such request. */
export type SignIn = (requestId: string, browser: Browser, credentials: Credentials) => Promise<SignInOutcome>

export function createSignIn(dependencies: SignInDependencies): SignIn {
  const { verifyPassword, attempt, findAttemptLimit, sessions, flow, now } = dependencies
  return async (requestId, browser, credentials) => {
    // Without a pending request there is nothing to sign in for, and nobody to try passwords on.
    const { organizationId } = await flow.look(requestId, browser)
    const { loginName, clientAddress } = credentials
    const freeFailures = await findAttemptLimit(loginName, organizationId)
    const verified = await attempt(
      { account: { kind: 'password', name: loginName }, freeFailures, clientAddress },
      (throttled) =>
        verifyPassword({
          ...credentials,
          throttled,
          ...(organizationId !== undefined && { organizationId }),
        }),
    )
    if (verified === undefined) return { kind: 'refused' }
    const { secondFactorRequired, ...account } = verified
    if (secondFactorRequired) {
      await flow.note(requestId, browser, { passwordProof: { ...account, verifiedAt: now().getTime() } })
      return { kind: 'second-factor' }
    }
    const { cookie, session } = await sessions.signIn(browser.sessionCookie, { ...account, amr: ['pwd'] })
    await flow.note(requestId, browser, { signedInSid: session.sid })
    return { kind: 'signed-in', sessionCookie: cookie, sid: session.sid, userId: session.userId }
  }
}
