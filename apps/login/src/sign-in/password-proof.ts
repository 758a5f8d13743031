import { z } from 'zod'
import type { Authentication } from '../sessions/browser-sessions.ts'

/** How long a right password lets a person go on. Long enough to find the telephone. */
export const PROOF_LIFETIME_MS = 10 * 60_000

/** A right password that does not sign in alone; what it proves is worth nothing outside its pending request. */
export const passwordProof = z.object({
  userId: z.string(),
  organizationId: z.string(),
  userEpoch: z.number(),
  organizationEpoch: z.number(),
  /** The directory's name for the account, for what browsers keep of it; empty where no password was asked for. */
  deviceKey: z.string().default(''),
  /** Unix milliseconds; of the last thing that was proven. */
  verifiedAt: z.number(),
  /** `none`: the password is enough; `proven`: the code was right. A release before this one noted codes only. */
  secondFactor: z.enum(['none', 'code', 'enrolment', 'proven']).default('code'),
  passwordChangeRequired: z.boolean().default(false),
  /** The sealed secret that the person is adding, in base64. */
  enrolment: z.string().optional(),
  /** The session that is to get a second factor, and when its password was right. Without it the password is new. */
  session: z.object({ sid: z.string(), authenticatedAt: z.number() }).optional(),
})

export type PasswordProof = z.output<typeof passwordProof>

/** What a person may have to do between the password and the session, in this order. */
export type SignInStep = 'code' | 'enrolment' | 'new-password'

export function proofOf(account: VerifiedAccount, now: Date): PasswordProof {
  const { secondFactorRequired, secondFactorEnrolmentRequired, ...rest } = account
  const enrolment = secondFactorEnrolmentRequired ? 'enrolment' : 'none'
  return { ...rest, secondFactor: secondFactorRequired ? 'code' : enrolment, verifiedAt: now.getTime() }
}

/** Undefined when nothing is left to do. */
export function stepOf({ secondFactor, passwordChangeRequired }: PasswordProof): SignInStep | undefined {
  if (secondFactor === 'code' || secondFactor === 'enrolment') return secondFactor
  return passwordChangeRequired ? 'new-password' : undefined
}

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
