/** What an organization demands of people who register. */
export interface RegistrationPolicy {
  readonly isAllowed: boolean
  readonly passwordMinLength: number
  readonly passwordNeeds: readonly PasswordNeed[]
}

export type PasswordNeed = 'uppercase' | 'lowercase' | 'number' | 'symbol'

/** The policy of an organization, of the default one where none is named; undefined where there is none at all. */
export type FindRegistrationPolicy = (
  organizationId: string | undefined,
) => Promise<RegistrationPolicy | undefined>
