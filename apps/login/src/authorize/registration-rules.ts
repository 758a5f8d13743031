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

/** The rules that a password can break. */
const PASSWORD_PROBLEMS = [
  'password_too_short',
  'password_too_long',
  'password_common',
  'password_weak',
  'password_breached',
  'password_policy',
] as const

export const REGISTRATION_CODES = [
  'required',
  'invalid',
  'too_long',
  'taken',
  'address',
  ...PASSWORD_PROBLEMS,
  'too_many_attempts',
  'not_allowed',
] as const

type RegistrationCode = (typeof REGISTRATION_CODES)[number]

/** Problem of a form; without a field it concerns the whole form. */
export interface RegistrationProblem {
  readonly field: RegistrationField | undefined
  readonly code: RegistrationCode
}

/** The rules that another password of an account can break. */
export const NEW_PASSWORD_PROBLEMS = [...PASSWORD_PROBLEMS, 'password_same'] as const

export type NewPasswordProblem = (typeof NEW_PASSWORD_PROBLEMS)[number]
