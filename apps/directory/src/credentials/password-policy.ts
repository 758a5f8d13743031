/** An organization's own rules; what it leaves out is not demanded. */
export interface PasswordComplexity {
  readonly minLength?: number | undefined
  readonly hasUppercase?: boolean | undefined
  readonly hasLowercase?: boolean | undefined
  readonly hasNumber?: boolean | undefined
  readonly hasSymbol?: boolean | undefined
}

export interface PasswordProblem {
  readonly code: 'password_too_short' | 'password_too_long' | 'password_policy' | 'password_common'
  /** For people: what the password must be. */
  readonly rule: string
}

/** ASVS 6.2.1: where the instance says nothing else. */
const LEAST_CHARACTERS = 8
/** ASVS 6.2.9 asks for 64 at least; the bound only keeps somebody from sending us a book. */
const MOST_CHARACTERS = 256

const RULES = [
  { demanded: 'hasUppercase', pattern: /\p{Lu}/u, rule: 'needs an upper-case letter' },
  { demanded: 'hasLowercase', pattern: /\p{Ll}/u, rule: 'needs a lower-case letter' },
  { demanded: 'hasNumber', pattern: /\p{N}/u, rule: 'needs a digit' },
  { demanded: 'hasSymbol', pattern: /[^\p{L}\p{N}\s]/u, rule: 'needs a symbol' },
] as const

/** What a new password breaks, as rules to show; empty when it may be used. Any character is allowed. */
export function passwordProblems(
  password: string,
  complexity: PasswordComplexity = {},
): readonly PasswordProblem[] {
  const least = complexity.minLength ?? LEAST_CHARACTERS
  // What is hashed is composed, so that is what counts.
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

/** The same for a password that somebody chose just now: it may not be one that is guessed first (ASVS 6.2.4). */
export function chosenPasswordProblems(
  password: string,
  complexity: PasswordComplexity | undefined,
  frequent: ReadonlySet<string>,
): readonly PasswordProblem[] {
  const problems = passwordProblems(password, complexity)
  if (!frequent.has(password.normalize('NFC').toLowerCase())) return problems
  return [...problems, { code: 'password_common', rule: 'is among the passwords that are guessed first' }]
}
