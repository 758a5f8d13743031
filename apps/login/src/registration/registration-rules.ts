/** What an organization demands of people who register. */
export interface RegistrationPolicy {
  readonly isAllowed: boolean
  readonly passwordMinLength: number
  readonly passwordNeeds: readonly PasswordNeed[]
}

type PasswordNeed = 'uppercase' | 'lowercase' | 'number' | 'symbol'

/** The policy of an organization, of the default one where none is named; undefined where there is none at all. */
export type FindRegistrationPolicy = (
  organizationId: string | undefined,
) => Promise<RegistrationPolicy | undefined>

/** The fields of the form, as the directory names them; each is the name of its input too. */
export const REGISTRATION_FIELDS = ['user_name', 'email', 'given_name', 'family_name', 'password'] as const

export type RegistrationField = (typeof REGISTRATION_FIELDS)[number]

export const REGISTRATION_CODES = [
  'required',
  'invalid',
  'too_long',
  'taken',
  'password_too_short',
  'password_too_long',
  'password_common',
  'password_policy',
  'too_many_attempts',
  'not_allowed',
] as const

type RegistrationCode = (typeof REGISTRATION_CODES)[number]

/** One thing that is wrong with a form; without a field it concerns all of it. */
export interface RegistrationProblem {
  readonly field: RegistrationField | undefined
  readonly code: RegistrationCode
}
