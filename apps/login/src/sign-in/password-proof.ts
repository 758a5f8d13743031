import type { Authentication } from '../sessions/browser-sessions.ts'

/** A right password that does not sign in alone; what it proves is worth nothing outside its pending request. */
export interface PasswordProof extends Omit<Authentication, 'amr'> {
  readonly deviceKey: string
  /** Unix milliseconds. */
  readonly verifiedAt: number
}
