/** The rules of the operator for the passwords that people and administrators set. */
export interface PasswordRules {
  /** The least score by zxcvbn, 1 to 4. */
  readonly minScore: number
  /** The list of passwords from breaches, if there is one. */
  readonly breachedUrl?: string | undefined
}

/** The settings that `passwordRules` reads. */
export const PASSWORD_SETTINGS = ['SIGNET_PASSWORD_MIN_SCORE', 'SIGNET_BREACHED_PASSWORDS_URL'] as const

export function passwordRules(values: {
  readonly SIGNET_PASSWORD_MIN_SCORE: number
  readonly SIGNET_BREACHED_PASSWORDS_URL?: string | undefined
}): PasswordRules {
  return { minScore: values.SIGNET_PASSWORD_MIN_SCORE, breachedUrl: values.SIGNET_BREACHED_PASSWORDS_URL }
}
