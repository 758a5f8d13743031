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

/**
 * The one account that a login name means: of the first step that found any, and only if it found exactly one.
 * Two accounts that fit equally are as good as none.
 */
export function resolveLoginName<C extends { readonly step: number }>(
  candidates: readonly C[],
): C | undefined {
  const first = Math.min(...candidates.map(({ step }) => step))
  const [only, ...others] = candidates.filter(({ step }) => step === first)
  return others.length === 0 ? only : undefined
}
