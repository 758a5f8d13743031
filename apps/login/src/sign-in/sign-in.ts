import type { AuthorizationFlow } from '../authorization/authorization-flow.ts'
import type { Browser } from '../browser/browser.ts'
import type { Authentication, BrowserSessions } from '../sessions/browser-sessions.ts'

interface Credentials {
  readonly loginName: string
  readonly password: string
  /** Network address of the person, for the audit trail. */
  readonly clientAddress: string
}

/**
 * Compares a password, of people of one organization only when one is named. Undefined for every reason alike: wrong
 * password, unknown, inactive or locked account.
 */
export type VerifyPassword = (
  credentials: Credentials & { readonly organizationId?: string },
) => Promise<Omit<Authentication, 'amr'> | undefined>

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
  readonly flow: Pick<AuthorizationFlow, 'look' | 'note'>
}

/** Signs a person in for a pending request of this browser. Throws PageExpiredError when there is no such request. */
export type SignIn = (requestId: string, browser: Browser, credentials: Credentials) => Promise<SignInOutcome>

export function createSignIn({ verifyPassword, sessions, flow }: SignInDependencies): SignIn {
  return async (requestId, browser, credentials) => {
    // Without a pending request there is nothing to sign in for, and nobody to try passwords on.
    const { organizationId } = await flow.look(requestId, browser)
    const account = await verifyPassword({
      ...credentials,
      ...(organizationId !== undefined && { organizationId }),
    })
    if (account === undefined) return { kind: 'refused' }
    const { cookie, session } = await sessions.signIn(browser.sessionCookie, { ...account, amr: ['pwd'] })
    await flow.note(requestId, browser, { signedInSid: session.sid })
    return { kind: 'signed-in', sessionCookie: cookie, sid: session.sid, userId: session.userId }
  }
}
