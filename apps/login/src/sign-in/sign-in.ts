import type { PendingAuthorizations } from '../authorization/pending-authorization.ts'
import type { Browser } from '../browser/browser.ts'
import { PageExpiredError } from '../browser/page-errors.ts'
import type { Authentication, BrowserSessions } from '../sessions/browser-sessions.ts'

interface Credentials {
  readonly loginName: string
  readonly password: string
  /** Network address of the person, for the audit trail. */
  readonly clientAddress: string
}

/**
 * Compares a password. Undefined for every reason alike: wrong password, unknown, inactive or locked account.
 */
export type VerifyPassword = (credentials: Credentials) => Promise<Omit<Authentication, 'amr'> | undefined>

export type SignInOutcome =
  | { readonly kind: 'refused' }
  | {
      readonly kind: 'signed-in'
      readonly sessionCookie: string
      readonly sid: string
      readonly userId: string
    }

export interface SignInDependencies {
  readonly verifyPassword: VerifyPassword
  readonly sessions: BrowserSessions
  readonly pendingAuthorizations: PendingAuthorizations
}

/** Signs a person in for a pending request of this browser. Throws PageExpiredError when there is no such request. */
export type SignIn = (requestId: string, browser: Browser, credentials: Credentials) => Promise<SignInOutcome>

export function createSignIn(dependencies: SignInDependencies): SignIn {
  const { verifyPassword, sessions, pendingAuthorizations } = dependencies
  return async (requestId, browser, credentials) => {
    const pending = await pendingAuthorizations.load(requestId, browser.id)
    // Without a pending request there is nothing to sign in for, and nobody to try passwords on.
    if (pending === undefined) throw new PageExpiredError('the pending authorization request is gone')
    const account = await verifyPassword(credentials)
    if (account === undefined) return { kind: 'refused' }
    const { cookie, session } = await sessions.signIn(browser.sessionCookie, { ...account, amr: ['pwd'] })
    await pendingAuthorizations.replace(requestId, { ...pending, signedInSid: session.sid })
    return { kind: 'signed-in', sessionCookie: cookie, sid: session.sid, userId: session.userId }
  }
}
