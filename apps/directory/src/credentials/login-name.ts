/** NFC, trimmed, lower case: two login names mean the same account when these are equal. */
export function normaliseName(text: string): string {
  return text.normalize('NFC').trim().toLowerCase().normalize('NFC')
}

export interface LoginName {
  readonly whole: string
  /** Set when there is an @: `user@domain`, divided at the last one. */
  readonly user?: string
  readonly domain?: string
}

export function parseLoginName(typed: string): LoginName {
  const whole = normaliseName(typed)
  const at = whole.lastIndexOf('@')
  return at < 0 ? { whole } : { whole, user: whole.slice(0, at), domain: whole.slice(at + 1) }
}

/** How a login name can mean an account; lower steps count first. */
export const LOGIN_NAME_STEPS = { verifiedDomain: 1, userName: 2, verifiedEmail: 3 } as const

export interface LoginNameCandidate {
  readonly step: number
  readonly organizationId: string
  /** The account's organization has verified the domain of the login name. */
  readonly ownsDomain: boolean
  /** The login name is the verified e-mail address of the account. */
  readonly ownsAddress: boolean
}

/**
 * The one account that a login name means: of the first step that found any, and only if it found exactly
 * one. Where an organization has verified the domain of the name, its own accounts decide. A user name that
 * looks like an address does not count against an account of another organization that has verified the
 * address: any user manager can assign such a name.
 */
export function resolveLoginName<C extends LoginNameCandidate>(candidates: readonly C[]): C | undefined {
  const own = candidates.filter(({ ownsDomain }) => ownsDomain)
  const claims = own.length > 0 ? own : candidates.filter((claim) => !isOutweighed(claim, candidates))
  const first = Math.min(...claims.map(({ step }) => step))
  const [only, ...others] = claims.filter(({ step }) => step === first)
  return others.length === 0 ? only : undefined
}

function isOutweighed(claim: LoginNameCandidate, candidates: readonly LoginNameCandidate[]): boolean {
  return (
    !claim.ownsAddress &&
    candidates.some(
      ({ ownsAddress, organizationId }) => ownsAddress && organizationId !== claim.organizationId,
    )
  )
}
