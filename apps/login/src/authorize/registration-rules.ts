/** The rules of an organization for new accounts. */
export interface RegistrationPolicy {
  readonly isAllowed: boolean
  readonly passwordMinLength: number
  readonly passwordNeeds: readonly PasswordNeed[]
}

type PasswordNeed = 'uppercase' | 'lowercase' | 'number' | 'symbol'

/** Returns the policy of an organization, or of the default one where none is given; undefined where none exists. */
export type FindRegistrationPolicy = (
  organizationId: string | undefined,
) => Promise<RegistrationPolicy | undefined>

/** The fields of the form, with the names of the directory and of the inputs. */
export const REGISTRATION_FIELDS = ['user_name', 'email', 'given_name', 'family_name', 'password'] as const

export type RegistrationField = (typeof REGISTRATION_FIELDS)[number]

export const REGISTRATION_CODES = [
  'required',
  'invalid',
  'too_long',
  'taken',
  'address',
  'password_too_short',
  'password_too_long',
  'password_common',
  'password_weak',
  'password_breached',
  'password_policy',
  'too_many_attempts',
  'not_allowed',
] as const

type RegistrationCode = (typeof REGISTRATION_CODES)[number]

/** One problem of a form; without a field it concerns the whole form. */
export interface RegistrationProblem {
  readonly field: RegistrationField | undefined
  readonly code: RegistrationCode
}

/** The rules that a new password can break. */
export const NEW_PASSWORD_PROBLEMS = [
  'password_too_short',
  'password_too_long',
  'password_common',
  'password_weak',
  'password_breached',
  'password_policy',
  'password_same',
] as const

export type NewPasswordProblem = (typeof NEW_PASSWORD_PROBLEMS)[number]
