import type { Authentication } from '../sessions/browser-sessions.ts'

/** Who a password belongs to. */
export interface VerifiedAccount extends Omit<Authentication, 'amr'> {
  /** The account has a second factor: the password alone does not sign in. */
  readonly secondFactorRequired: boolean
  /** The directory's name for the account, for what browsers keep of it. */
  readonly deviceKey: string
  /** A policy demands a second factor, and the account has none. */
  readonly secondFactorEnrolmentRequired: boolean
  /** The person has to choose another password first. */
  readonly passwordChangeRequired: boolean
}

export interface SignedIn {
  readonly kind: 'signed-in'
  readonly sessionCookie: string
  /** Absent where no password was asked for: the browser keeps what it has. */
  readonly deviceCookie: string | undefined
  readonly sid: string
  readonly userId: string
}
