import type { AuthorizationFlow } from '../authorize/authorize.service.ts'
import type { Browser } from '../sessions/browser.ts'
import type { DeviceCookies } from './device-cookie.ts'
import { proofOf, type SignedIn, type VerifiedAccount } from './password-proof.ts'
import type { NextStep, SignInSteps } from './sign-in-steps.ts'
import { deviceCounter, passwordCounter, type Throttled, type ThrottledAttempt } from './throttle.ts'

interface Credentials {
  readonly loginName: string
  readonly password: string
  /** Network address of the person, for the audit trail. */
  readonly clientAddress: string
}

/** The password is right, and a policy forbids the sign-in. */
interface ForbiddenSignIn {
  readonly kind: 'forbidden'
  /** As the directory calls it. */
  readonly rule: string
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
) => Promise<VerifiedAccount | ForbiddenSignIn | undefined>

type SignInOutcome = { readonly kind: 'refused' } | ForbiddenSignIn | NextStep | Throttled | SignedIn

interface SignInDependencies {
  readonly verifyPassword: VerifyPassword
  readonly attempt: ThrottledAttempt
  readonly findAttemptKey: FindAttemptKey
  readonly devices: Pick<DeviceCookies, 'find'>
  readonly steps: SignInSteps
  readonly flow: Pick<AuthorizationFlow, 'look'>
  readonly now: () => Date
}

/** Signs a person in for a pending request of this browser. Throws PageExpiredError when there is no such request. */
export type SignIn = (requestId: string, browser: Browser, credentials: Credentials) => Promise<SignInOutcome>

export function createSignIn(dependencies: SignInDependencies): SignIn {
  const { verifyPassword, attempt, findAttemptKey, devices, steps, flow, now } = dependencies
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
    const verified = outcome.value
    if ('kind' in verified) return verified
    return steps.advance(requestId, browser, proofOf(verified, now()))
  }
}
