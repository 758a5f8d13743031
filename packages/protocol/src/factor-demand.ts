// The one place that decides whether policies demand a second factor: at a sign-in, and later in a session. The gates of a sign-in
// (docs/sign-in-gates.md) add what an application asks for. docs/reference/policy-members.md has the callers.

/** The rules for second factors of the policy in force of an organization. */
export interface FactorPolicy {
  /** A second factor is demanded of sign-ins without an identity provider. */
  readonly forceMfa: boolean
  /** A second factor is demanded of sign-ins by an identity provider. */
  readonly forceMfaOfProviders: boolean
  /** Seconds for which an authentication is accepted; null: as long as the session. */
  readonly passwordSeconds: number | null
  /** The same of a sign-in by an identity provider. */
  readonly providerSeconds: number | null
  readonly secondFactorSeconds: number | null
  readonly multiFactorSeconds: number | null
}

/** The factors of an account that a sign-in may ask for. */
export interface HeldFactors {
  readonly totp: boolean
  /** A passkey, also one that does not count: a copied one, of another relying party, or not accepted by the policy. */
  readonly anyPasskey: boolean
}

const LINK = 'link:'

/** The name of the link of an identity provider among the factors that a sign-in rests on. */
export const linkFactor = (linkId: string): string => `${LINK}${linkId}`

/** Whether a sign-in rests on an identity provider, by the names of its factors. */
export const isOfProvider = (factors: readonly string[] = []): boolean =>
  factors.some((factor) => factor.startsWith(LINK))

/**
 * Returns the next step of a person who has just proven the methods `amr` (RFC 8176): the code or passkey of a factor of the
 * account, a new factor, or none. A factor that the policy does not accept any more is asked for nevertheless.
 */
export function factorDemand(
  { forceMfa }: Pick<FactorPolicy, 'forceMfa'>,
  factors: HeldFactors,
  amr: readonly string[],
): 'code' | 'enrolment' | 'none' {
  if (amr.includes('mfa')) return 'none'
  return factors.totp || forceMfa ? missingFactor(factors, amr) : 'none'
}

/** The same of a person whom an identity provider asserts; `amr` are the methods for which the provider is trusted. */
export function providerDemand(
  { forceMfaOfProviders }: Pick<FactorPolicy, 'forceMfaOfProviders'>,
  factors: HeldFactors,
  amr: readonly string[],
): 'code' | 'enrolment' | 'none' {
  if (amr.includes('mfa')) return 'none'
  return factors.totp || forceMfaOfProviders ? missingFactor(factors, amr, [LINK]) : 'none'
}

/**
 * Returns the step that a missing second factor needs: to prove that of the account, or to add one. `proven` are the names of
 * the factors that the sign-in rests on.
 */
export function missingFactor(
  factors: HeldFactors,
  amr: readonly string[],
  proven?: readonly string[],
): 'code' | 'enrolment' {
  return hasOtherFactor(factors, amr, proven) ? 'code' : 'enrolment'
}

/**
 * Whether the account has a factor besides the methods `amr`, so that none may be added without one. After a password or an
 * identity provider a passkey that does not count is one too: else marking it as copied would let the holder of the password
 * add a factor. The methods of a provider are about its own passkeys.
 */
export function hasOtherFactor(
  { totp, anyPasskey }: HeldFactors,
  amr: readonly string[],
  proven?: readonly string[],
): boolean {
  return totp || (anyPasskey && (amr.includes('pwd') || isOfProvider(proven)))
}

/** The longest time for which a browser is trusted. */
export const TRUST_SECONDS = 30 * 24 * 60 * 60

/**
 * Returns for how many seconds a browser may be trusted; 0: it may not. A policy that demands a second factor says
 * for how long one counts, or asks for it at every sign-in.
 */
export function trustSeconds({ forceMfa, secondFactorSeconds, multiFactorSeconds }: FactorPolicy): number {
  if (forceMfa && secondFactorSeconds === null) return 0
  return Math.min(TRUST_SECONDS, secondFactorSeconds ?? TRUST_SECONDS, multiFactorSeconds ?? TRUST_SECONDS)
}

/** The proofs of a session; times are Unix milliseconds. */
interface SessionProofs {
  readonly amr: readonly string[]
  readonly authenticatedAt: number
  /**
   * Time of the second factor, by default `authenticatedAt`. Without `mfa` in `amr`: when the factor was proven in
   * this trusted browser.
   */
  readonly secondFactorAt?: number | undefined
  /** The names of the factors that the sign-in rests on. */
  readonly factors?: readonly string[] | undefined
}

interface Circumstances {
  /** The request asks for a second factor. */
  readonly mfaWanted: boolean
  /** The user signed in for this request, so no authentication is too old. */
  readonly isSignedInNow: boolean
  readonly now: Date
}

/** Returns the factor that the user of a session has to prove before the response; undefined: none. */
export function sessionDemand(
  policy: FactorPolicy,
  { amr, authenticatedAt, secondFactorAt, factors }: SessionProofs,
  { mfaWanted, isSignedInNow, now }: Circumstances,
): 'password' | 'second-factor' | undefined {
  const provenAt = secondFactorAt ?? authenticatedAt
  const isOver = (since: number, seconds: number | null) =>
    !isSignedInNow && seconds !== null && (seconds === 0 || now.getTime() - since > seconds * 1000)
  const ofProvider = isOfProvider(factors)
  const forceMfa = ofProvider ? policy.forceMfaOfProviders : policy.forceMfa
  const firstSeconds = ofProvider ? policy.providerSeconds : policy.passwordSeconds
  if (isOver(authenticatedAt, firstSeconds)) return 'password'
  if (!amr.includes('mfa')) {
    // A trusted browser proved it earlier, which is enough for a policy and not for a request that asks for one.
    const isTrusted = secondFactorAt !== undefined
    if (mfaWanted || (forceMfa && !isTrusted)) return 'second-factor'
    return isTrusted && isOver(provenAt, trustSeconds(policy)) ? 'second-factor' : undefined
  }
  // Both factors are proven together.
  if (isOver(Math.min(authenticatedAt, provenAt), policy.multiFactorSeconds)) return 'password'
  return isOver(provenAt, policy.secondFactorSeconds) ? 'second-factor' : undefined
}
