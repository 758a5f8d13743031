/** An organization's own rules; what it leaves out is not demanded. */
export interface PasswordComplexity {
  readonly minLength?: number | undefined
  readonly hasUppercase?: boolean | undefined
  readonly hasLowercase?: boolean | undefined
  readonly hasNumber?: boolean | undefined
  readonly hasSymbol?: boolean | undefined
}

/** ASVS 6.2.1. */
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
export function passwordProblems(password: string, complexity: PasswordComplexity = {}): readonly string[] {
  const least = complexity.minLength ?? LEAST_CHARACTERS
  const { length } = [...password]
  return [
    ...(length < least ? [`needs at least ${least} characters`] : []),
    ...(length > MOST_CHARACTERS ? [`may have at most ${MOST_CHARACTERS} characters`] : []),
    ...RULES.filter(({ demanded, pattern }) => complexity[demanded] && !pattern.test(password)).map(
      ({ rule }) => rule,
    ),
  ]
}
