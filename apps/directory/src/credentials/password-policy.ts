import type { PasswordComplexity } from '../accounts/account.ts'

export interface PasswordProblem {
  readonly code:
    | 'password_too_short'
    | 'password_too_long'
    | 'password_policy'
    | 'password_common'
    | 'password_weak'
    | 'password_breached'
  /** A sentence for users: the property that the password must have. */
  readonly rule: string
}

/** ASVS 6.2.1: where the instance says nothing else. */
const LEAST_CHARACTERS = 8
/** ASVS 6.2.9 asks for at least 64; the limit bounds the input of the hash function. */
const MOST_CHARACTERS = 256

const RULES = [
  { demanded: 'hasUppercase', pattern: /\p{Lu}/u, rule: 'needs an upper-case letter' },
  { demanded: 'hasLowercase', pattern: /\p{Ll}/u, rule: 'needs a lower-case letter' },
  { demanded: 'hasNumber', pattern: /\p{N}/u, rule: 'needs a digit' },
  { demanded: 'hasSymbol', pattern: /[^\p{L}\p{N}\s]/u, rule: 'needs a symbol' },
] as const

/**
 * The broken rules of a new password, as texts to show; empty when it may be used. Any character is allowed.
 */
export function passwordProblems(
  password: string,
  complexity: PasswordComplexity = {},
): readonly PasswordProblem[] {
  const least = complexity.minLength ?? LEAST_CHARACTERS
  // The hash is made of the NFC form, so its length counts.
  const composed = password.normalize('NFC')
  const { length } = [...composed]
  const problems: PasswordProblem[] = []
  if (length < least) {
    problems.push({ code: 'password_too_short', rule: `needs at least ${least} characters` })
  }
  if (length > MOST_CHARACTERS) {
    problems.push({ code: 'password_too_long', rule: `may have at most ${MOST_CHARACTERS} characters` })
  }
  for (const { demanded, pattern, rule } of RULES) {
    if (complexity[demanded] && !pattern.test(composed)) problems.push({ code: 'password_policy', rule })
  }
  return problems
}
