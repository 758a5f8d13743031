// The calls of the directory for a password.
import type { VerifiedAccount } from '../sessions/sign-in-proof.ts'
import type { Credentials, ForbiddenSignIn } from './password-sign-in.ts'

/** The counters of a login name, from the directory. */
export interface AttemptKey {
  /** The same for all login names of an account. */
  readonly attemptKey: string
  /** Key as in VerifiedAccount. */
  readonly deviceKey: string
  /** 0: no limit. */
  readonly maxPasswordAttempts: number
}

/**
 * Context of a typed login name: it is looked for among the people of the organization, then of the application,
 * first.
 */
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
  credentials: Credentials &
    LoginNameContext & {
      readonly throttled: boolean
      /** The browser did not sign in to the account before: the user is notified. */
      readonly announceNewBrowser?: boolean
      /** Browser and system of the request, for that notice. */
      readonly agent?: string
      /** The user is signed in already, and proves it for a change of the own account. */
      readonly confirms?: boolean
    },
) => Promise<VerifiedPassword | ForbiddenSignIn | undefined>

/** The account of a right password. */
interface VerifiedPassword {
  readonly account: VerifiedAccount
  /** The notice of the new browser needs no call of its own. */
  readonly newBrowserAnnounced: boolean
  readonly noRolesOffered: boolean
}
