/** The fields of the form as they arrived. */
export interface RegistrationForm {
  readonly userName: string
  readonly email: string
  readonly givenName: string
  readonly familyName: string
  readonly preferredLanguage: string
  readonly password: string
}

/** A form whose fields are well formed. */
export interface Registration {
  readonly userName: string
  readonly email: string
  readonly givenName: string
  readonly familyName: string
  readonly displayName: string
  readonly preferredLanguage: string | undefined
}

export interface RegistrationProblem {
  /** As the contract names it; empty when no field is to blame. */
  readonly field: string
  readonly code:
    | 'required'
    | 'invalid'
    | 'too_long'
    | 'taken'
    | 'password_too_short'
    | 'password_too_long'
    | 'password_common'
    | 'password_policy'
    | 'too_many_attempts'
    | 'not_allowed'
}
