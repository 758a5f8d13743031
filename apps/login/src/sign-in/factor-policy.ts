import type { BrowserSession } from '../sessions/browser-session.ts'

/** What the policies of an organization say of the factors of its people. */
interface FactorPolicy {
  readonly forceMfa: boolean
  /** Seconds for which a proof counts; null: as long as the session. */
  readonly passwordSeconds: number | null
  readonly secondFactorSeconds: number | null
  readonly multiFactorSeconds: number | null
  /** Codes that may fail before the next has to wait; 0: any number. */
  readonly maxOtpAttempts: number
}

export type FindFactorPolicy = (organizationId: string) => Promise<FactorPolicy>

/** Whether an account has a second factor whose code can be asked for. */
export type HasSecondFactor = (userId: string) => Promise<boolean>

interface Circumstances {
  /** The request asks for a second factor. */
  readonly mfaWanted: boolean
  /** The person signed in to the session for this very request, so that nothing can be too old. */
  readonly isSignedInNow: boolean
  readonly now: Date
}

/** What the person of a session has to prove again, or for the first time, before a request can be answered. */
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
