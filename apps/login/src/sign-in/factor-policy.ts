import type { BrowserSession } from '../sessions/browser-session.ts'

/** The policies of an organization for passwords and second factors. */
interface FactorPolicy {
  readonly forceMfa: boolean
  /** Seconds for which an authentication is accepted; null: as long as the session. */
  readonly passwordSeconds: number | null
  readonly secondFactorSeconds: number | null
  readonly multiFactorSeconds: number | null
  /** Failed codes before a delay; 0: no limit. */
  readonly maxOtpAttempts: number
}

export type FindFactorPolicy = (organizationId: string) => Promise<FactorPolicy>

/** The second factors of an account. */
interface SecondFactors {
  readonly totp: boolean
  /** A passkey that may follow a password. */
  readonly passkey: boolean
  /** The policy of the organization lets a passkey follow a password. */
  readonly passkeyAllowed: boolean
}

export type FindSecondFactors = (userId: string) => Promise<SecondFactors>

/** Whether the account has a factor that may follow the methods `amr`: a passkey follows passwords only. */
export function hasUsableFactor({ totp, passkey }: SecondFactors, amr: readonly string[]): boolean {
  return totp || (passkey && amr.includes('pwd'))
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
  if (!hasSecondFactor) return policy.forceMfa || mfaWanted ? 'second-factor' : undefined
  // Both factors are proven together.
  if (isOver(Math.min(authenticatedAt, secondFactorAt), policy.multiFactorSeconds)) return 'password'
  return isOver(secondFactorAt, policy.secondFactorSeconds) ? 'second-factor' : undefined
}

/** Whether the login policy of an organization lets its users sign in with a passkey alone. */
export type FindPasskeySignIn = (organizationId: string) => Promise<boolean>
