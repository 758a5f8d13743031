// Verifies the password of a sign-in. sign-in-steps.ts then decides whether a code, a new second factor or a new
// password follows, and creates the session.
import type { AuthorizationFlow } from '../authorize/authorization-flow.ts'
import type { AccountCookies } from '../sessions/account-cookies.ts'
import type { Browser } from '../sessions/browser.ts'
import { proofOf, type SignedIn, type VerifiedAccount } from '../sessions/sign-in-proof.ts'
import type { BrowserTrust } from './browser-trust.ts'
import type { NextStep, SignInSteps } from './sign-in-steps.ts'
import { deviceCounter, passwordCounter, type Throttled, type ThrottledAttempt } from './throttle.ts'

interface Credentials {
  readonly loginName: string
  readonly password: string
  /** Network address of the user, for the audit log. */
  readonly clientAddress: string
}

/** The password is correct, but a policy forbids the sign-in. */
interface ForbiddenSignIn {
  readonly kind: 'forbidden'
  /** The name of the policy in the directory. */
  readonly rule: string
}

/** The counters of a login name, from the directory. */
export interface AttemptKey {
  /** The same for all login names of an account. */
  readonly attemptKey: string
  /** As in VerifiedAccount. */
  readonly deviceKey: string
  /** 0: no limit. */
  readonly maxPasswordAttempts: number
}

/** Where a login name is typed: it is looked for among the people of the organization, then of the application, first. */
export interface LoginNameContext {
  /** The request restricts the sign-in to this organization. */
  readonly organizationId?: string | undefined
  readonly clientId?: string | undefined
}

export type FindAttemptKey = (loginName: string, context: LoginNameContext) => Promise<AttemptKey>

/**
 * Verifies a password, within one organization if one is given. Returns undefined for a wrong password and for an
 * unknown, inactive or locked account. With `throttled` it only writes the audit log and returns undefined.
 */
export type VerifyPassword = (
  credentials: Credentials & LoginNameContext & { readonly throttled: boolean },
) => Promise<VerifiedAccount | ForbiddenSignIn | undefined>

interface SignInForm extends Credentials {
  /** The browser can make a passkey. */
  readonly canMakePasskey: boolean
}

type SignInOutcome = { readonly kind: 'refused' } | ForbiddenSignIn | NextStep | Throttled | SignedIn

interface SignInDependencies {
  readonly verifyPassword: VerifyPassword
  readonly attempt: ThrottledAttempt
  readonly findAttemptKey: FindAttemptKey
  readonly devices: Pick<AccountCookies, 'find'>
  readonly browserTrust: Pick<BrowserTrust, 'provenAt'>
  readonly steps: SignInSteps
  readonly flow: Pick<AuthorizationFlow, 'assess'>
  readonly now: () => Date
}

/** Signs a user in for a pending request of this browser. Throws PageExpiredError when there is no such request. */
export type SignIn = (requestId: string, browser: Browser, form: SignInForm) => Promise<SignInOutcome>

export function createSignIn(dependencies: SignInDependencies): SignIn {
  const { verifyPassword, attempt, findAttemptKey, devices, browserTrust, steps, flow, now } = dependencies
  return async (requestId, browser, { canMakePasskey, ...credentials }) => {
    // First, so that passwords cannot be tried without a pending request.
    const { organizationId, redirect } = await flow.assess(requestId, browser)
    const { loginName, clientAddress } = credentials
    const context = { organizationId, clientId: redirect.client.clientId }
    const credential = { ...credentials, ...context }
    const key = await findAttemptKey(loginName, context)
    const device = devices.find(browser.deviceCookie, key.deviceKey)
    const outcome = await attempt(
      {
        freeFailures: key.maxPasswordAttempts,
        ...(device === undefined
          ? { counter: passwordCounter(key.attemptKey), clientAddress }
          : { counter: deviceCounter(device.id) }),
      },
      () => verifyPassword({ ...credential, throttled: false }),
    )
    if (outcome.kind === 'failed') return { kind: 'refused' }
    if (outcome.kind === 'throttled') {
      // A limit of the network does not concern the account, so it is not in its audit log.
      if (outcome.by === 'account') await verifyPassword({ ...credential, throttled: true })
      return outcome
    }
    const verified = outcome.value
    if ('kind' in verified) return verified
    const passkeyOffered = verified.passkeyOffered && canMakePasskey
    const isNewBrowser = device === undefined && key.deviceKey !== ''
    const proof = proofOf(verified, now(), await browserTrust.provenAt(browser, verified))
    return steps.advance(requestId, browser, { ...proof, passkeyOffered, isNewBrowser })
  }
}
