import type { AuthorizationFlow } from '../authorization/authorization-flow.ts'
import type { Browser } from '../browser/browser.ts'
import type { Authentication, BrowserSessions } from '../sessions/browser-sessions.ts'
import { deviceCounter, passwordCounter } from '../throttling/attempt-counter.ts'
import type { DeviceCookies } from '../throttling/device-cookie.ts'
import type { Throttled, ThrottledAttempt } from '../throttling/sign-in-throttle.ts'

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
  /** The directory's name for the account, for what browsers keep of it. */
  readonly deviceKey: string
}

/** Where the failures of a login name count, said by the directory before any work is done. */
export interface AttemptKey {
  /** The same for all names of an account. */
  readonly attemptKey: string
  /** That of VerifiedAccount. */
  readonly deviceKey: string
  /** 0: any number of passwords may fail. */
  readonly maxPasswordAttempts: number
}

export type FindAttemptKey = (loginName: string, organizationId: string | undefined) => Promise<AttemptKey>

/**
 * Compares a password, of people of one organization only when one is named. Undefined for every reason alike: wrong
 * password, unknown, inactive or locked account, and when `throttled`: nothing is compared then, it only goes on record.
 */
export type VerifyPassword = (
  credentials: Credentials & { readonly organizationId?: string; readonly throttled: boolean },
) => Promise<VerifiedAccount | undefined>

export interface SignedIn {
  readonly kind: 'signed-in'
  readonly sessionCookie: string
  readonly deviceCookie: string
  readonly sid: string
  readonly userId: string
}

export type SignInOutcome =
  | { readonly kind: 'refused' }
  | { readonly kind: 'second-factor' }
  | Throttled
  | SignedIn

export interface SignInDependencies {
  readonly verifyPassword: VerifyPassword
  readonly attempt: ThrottledAttempt
  readonly findAttemptKey: FindAttemptKey
  readonly devices: DeviceCookies
  readonly sessions: BrowserSessions
  readonly flow: Pick<AuthorizationFlow, 'look' | 'note'>
  readonly now: () => Date
}

/** Signs a person in for a pending request of this browser. Throws PageExpiredError when there is no such request. */
export type SignIn = (requestId: string, browser: Browser, credentials: Credentials) => Promise<SignInOutcome>

export function createSignIn(dependencies: SignInDependencies): SignIn {
  const { verifyPassword, attempt, findAttemptKey, devices, sessions, flow, now } = dependencies
  return async (requestId, browser, credentials) => {
    // Without a pending request there is nothing to sign in for, and nobody to try passwords on.
    const { organizationId } = await flow.look(requestId, browser)
    const { loginName, clientAddress } = credentials
    const credential = { ...credentials, ...(organizationId !== undefined && { organizationId }) }
    const key = await findAttemptKey(loginName, organizationId)
    const device = devices.find(browser.deviceCookie, key.deviceKey)
    const outcome = await attempt(
      {
        freeFailures: key.maxPasswordAttempts,
        ...(device === undefined
          ? { counter: passwordCounter(key.attemptKey), clientAddress }
          : { counter: deviceCounter(device) }),
      },
      () => verifyPassword({ ...credential, throttled: false }),
    )
    if (outcome.kind === 'failed') return { kind: 'refused' }
    if (outcome.kind === 'throttled') {
      // A limit of the network concerns no account.
      if (outcome.by === 'account') await verifyPassword({ ...credential, throttled: true })
      return outcome
    }
    const { secondFactorRequired, deviceKey, ...account } = outcome.value
    if (secondFactorRequired) {
      await flow.note(requestId, browser, {
        passwordProof: { ...account, deviceKey, verifiedAt: now().getTime() },
      })
      return { kind: 'second-factor' }
    }
    const { cookie, session } = await sessions.signIn(browser.sessionCookie, { ...account, amr: ['pwd'] })
    await flow.note(requestId, browser, { signedInSid: session.sid })
    const deviceCookie = devices.issue(browser.deviceCookie, deviceKey)
    return {
      kind: 'signed-in',
      sessionCookie: cookie,
      deviceCookie,
      sid: session.sid,
      userId: session.userId,
    }
  }
}
