import { TRUST_COOKIE } from './account-cookies.ts'
import type { BrowserSession } from './browser-session.ts'

/** The policies of an organization for passwords and second factors. */
export interface FactorPolicy {
  readonly forceMfa: boolean
  /** Seconds for which an authentication is accepted; null: as long as the session. */
  readonly passwordSeconds: number | null
  readonly secondFactorSeconds: number | null
  readonly multiFactorSeconds: number | null
  /** Failed codes before a delay; 0: no limit. */
  readonly maxOtpAttempts: number
}

export type FindFactorPolicy = (organizationId: string) => Promise<FactorPolicy>

/**
 * For how many seconds a browser may be trusted; 0: it may not. A policy that demands a second factor says for how long
 * one counts, or asks for it at every sign-in.
 */
export function trustSeconds({ forceMfa, secondFactorSeconds, multiFactorSeconds }: FactorPolicy): number {
  if (forceMfa && secondFactorSeconds === null) return 0
  const longest = TRUST_COOKIE.lifetimeSeconds
  return Math.min(longest, secondFactorSeconds ?? longest, multiFactorSeconds ?? longest)
}

/** The second factors of an account. */
interface SecondFactors {
  readonly totp: boolean
  /** A passkey that may follow a password. */
  readonly passkey: boolean
  /** A passkey, also one that does not count: a copied one, of another relying party, or not accepted by the policy. */
  readonly anyPasskey: boolean
  /** The policy of the organization lets a passkey follow a password. */
  readonly passkeyAllowed: boolean
  /** Unused recovery codes. */
  readonly recoveryCodes: number
  /** There are browsers that are not asked for the second factor. */
  readonly trustedBrowsers: boolean
}

export type FindSecondFactors = (userId: string) => Promise<SecondFactors>

/**
 * Whether the account has a factor besides the methods `amr`, so that none may be added without one. After a password a
 * passkey that does not count is one too: else marking it as copied would let the holder of the password add a factor.
 */
export function hasOtherFactor(
  { totp, passkey, anyPasskey }: Pick<SecondFactors, 'totp' | 'passkey' | 'anyPasskey'>,
  amr: readonly string[],
): boolean {
  return totp || ((passkey || anyPasskey) && amr.includes('pwd'))
}

interface Circumstances {
  /** The request asks for a second factor. */
  readonly mfaWanted: boolean
  /** The user signed in for this request, so no authentication is too old. */
  readonly isSignedInNow: boolean
  readonly now: Date
}

/** Returns the factor that the user of a session has to prove before the response. */
export function missingProof(
  session: BrowserSession,
  policy: FactorPolicy,
  { mfaWanted, isSignedInNow, now }: Circumstances,
): 'password' | 'second-factor' | undefined {
  const hasSecondFactor = session.amr.includes('mfa')
  const { authenticatedAt, secondFactorAt = authenticatedAt } = session
  const isOver = (since: number, seconds: number | null) =>
    !isSignedInNow && seconds !== null && (seconds === 0 || now.getTime() - since > seconds * 1000)
  if (isOver(authenticatedAt, policy.passwordSeconds)) return 'password'
  if (!hasSecondFactor) {
    // A trusted browser proved it earlier, which is enough for a policy and not for a request that asks for one.
    const isTrusted = session.secondFactorAt !== undefined
    if (mfaWanted || (policy.forceMfa && !isTrusted)) return 'second-factor'
    return isTrusted && isOver(secondFactorAt, trustSeconds(policy)) ? 'second-factor' : undefined
  }
  // Both factors are proven together.
  if (isOver(Math.min(authenticatedAt, secondFactorAt), policy.multiFactorSeconds)) return 'password'
  return isOver(secondFactorAt, policy.secondFactorSeconds) ? 'second-factor' : undefined
}

/** Whether the login policy of an organization lets its users sign in with a passkey alone. */
export type FindPasskeySignIn = (organizationId: string) => Promise<boolean>
