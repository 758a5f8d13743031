import { z } from 'zod'
import type { SessionCookie } from './browser-session.ts'
import type { Authentication } from './browser-sessions.ts'

/** How long a sign-in may continue after its last proven factor: long enough to find the telephone. */
export const PROOF_LIFETIME_MS = 10 * 60_000

/** Value of BrowserSession. */
export const upstreamIdentity = z.object({
  providerId: z.string(),
  issuer: z.string(),
  subject: z.string(),
  sessionId: z.string().optional(),
  /** The format of a subject that is a NameID of SAML. */
  nameIdFormat: z.string().optional(),
  assertedAt: z.number(),
})

/**
 * The factors that a user has proven in an incomplete sign-in: a password, a passkey, a second factor, or the session that a
 * second factor is added to. It is valid for its pending request only.
 */
export const signInProof = z.object({
  userId: z.string(),
  organizationId: z.string(),
  userEpoch: z.number(),
  organizationEpoch: z.number(),
  /** Key of the directory for the device cookie; empty in a sign-in without a password. */
  deviceKey: z.string().default(''),
  /** The authentication methods that were proven (RFC 8176). The previous release stored passwords only. */
  amr: z.array(z.string()).default(['pwd']),
  /** The password was typed in a browser without the device cookie of the account; the person is notified. */
  isNewBrowser: z.boolean().default(false),
  /** Factors as in BrowserSession. Absent in a proof of the previous release. */
  factors: z.array(z.string()).optional(),
  /** After the sign-in the user is asked whether to add a passkey. */
  passkeyOffered: z.boolean().default(false),
  /** Unix milliseconds of the last proven factor. */
  verifiedAt: z.number(),
  /** `none`: no code is required; `proven`: the code was correct. The previous release stored codes only. */
  secondFactor: z.enum(['none', 'code', 'enrolment', 'proven']).default('code'),
  /** When the factor was proven in this trusted browser; `secondFactor` is then `none`. */
  factorProvenAt: z.number().optional(),
  /** Key of the directory for trusted browsers: the browser becomes one with the session. */
  trustKey: z.string().optional(),
  /** Id of this browser, stored with `trustKey`. */
  browserId: z.string().optional(),
  passwordChangeRequired: z.boolean().default(false),
  /** When the person authenticated at an identity provider, in Unix milliseconds; absent: `verifiedAt` of the first factor. */
  authenticatedAt: z.number().optional(),
  /** The sign-in at an identity provider that this one began by. */
  upstream: upstreamIdentity.optional(),
  /** An identity provider did not say when the person authenticated. */
  isTimeUnknown: z.boolean().optional(),
  /** The sealed secret of the new second factor, in base64. */
  enrolment: z.string().optional(),
  /** The session that gets a second factor, and the time of its password. Absent after a new password. */
  session: z
    .object({ sid: z.string(), authenticatedAt: z.number(), startedAt: z.number().optional() })
    .optional(),
})

export type SignInProof = z.output<typeof signInProof>

/** The steps between the password and the session, in this order. */
export type SignInStep = 'code' | 'enrolment' | 'new-password'

/** The sign-in is not complete: this step follows. */
export interface NextStep {
  readonly kind: 'next-step'
  readonly step: SignInStep
}

/** `factorProvenAt`: when the second factor was proven in this trusted browser. */
export function proofOf(account: VerifiedAccount, now: Date, factorProvenAt?: number): SignInProof {
  const { secondFactorRequired, secondFactorEnrolmentRequired, trustKey: _, ...rest } = account
  const enrolment = secondFactorEnrolmentRequired ? 'enrolment' : 'none'
  return {
    ...rest,
    amr: ['pwd'],
    factors: [],
    isNewBrowser: false,
    secondFactor: secondFactorRequired && factorProvenAt === undefined ? 'code' : enrolment,
    ...(factorProvenAt !== undefined && { factorProvenAt }),
    verifiedAt: now.getTime(),
  }
}

/** Adds a factor that was proven, with its methods. */
export const withFactor = (proof: SignInProof, factor: string, methods: readonly string[]): SignInProof => ({
  ...proof,
  amr: [...proof.amr, ...methods],
  ...(proof.factors && { factors: [...proof.factors, factor] }),
})

/** An account with a verified password. */
export interface VerifiedAccount
  extends Omit<Authentication, 'amr' | 'factors' | 'signedInFrom' | 'clientId'> {
  /** The account has a second factor, so the password is not enough. */
  readonly secondFactorRequired: boolean
  /** Key of the directory for the device cookie. */
  readonly deviceKey: string
  /** Key of the directory for trusted browsers; empty where there are none. */
  readonly trustKey: string
  /** A policy requires a second factor, and the account has none. */
  readonly secondFactorEnrolmentRequired: boolean
  /** The user has to choose a new password first. */
  readonly passwordChangeRequired: boolean
  /** The user has no passkey and may be asked to add one. */
  readonly passkeyOffered: boolean
}

export interface SignedIn {
  readonly kind: 'signed-in'
  readonly sessionCookie: SessionCookie
  /** Absent in a sign-in without a password: the browser keeps its cookie. */
  readonly deviceCookie: string | undefined
  /** Absent unless the user chose to trust this browser. */
  readonly trustCookie?: string | undefined
  readonly sid: string
  readonly userId: string
  /** The user is asked whether to add a passkey. */
  readonly passkeyOffered: boolean
}

/** A change in a session, or after the first factor of a sign-in: the directory refuses it when that has ended. */
export interface OwnChange extends Pick<SignInProof, 'userId' | 'userEpoch' | 'organizationEpoch'> {
  /** Network address of the user, for the audit log. */
  readonly clientAddress: string
}

/** A change by the user of a session, or of a sign-in that is not complete. */
export function ownChange(
  { userId, userEpoch, organizationEpoch }: Omit<OwnChange, 'clientAddress'>,
  clientAddress: string,
): OwnChange {
  return { userId, userEpoch, organizationEpoch, clientAddress }
}
