import type { ChangesOf, ValuesOf } from '@signet/protocol/fields/field'
import type { ADDRESS_FIELDS, PROFILE_FIELDS } from '@signet/protocol/fields/person'
import type { SERVICE_USER_FIELDS } from '@signet/protocol/fields/service-user'

/** The rules of an organization; an absent one is not demanded. */
export interface PasswordComplexity {
  readonly minLength?: number | undefined
  readonly hasUppercase?: boolean | undefined
  readonly hasLowercase?: boolean | undefined
  readonly hasNumber?: boolean | undefined
  readonly hasSymbol?: boolean | undefined
}

/** The rules of the organization, and the words that an attacker would try first. */
export interface PasswordContext {
  readonly complexity?: PasswordComplexity | undefined
  /** Names and addresses of the person, and the name of the organization. */
  readonly words: readonly string[]
}

export type AccountState = 'active' | 'inactive' | 'locked'

type Texts<Name extends string> = { readonly [N in Name]?: string | undefined }

export type Profile = Texts<keyof typeof PROFILE_FIELDS> & { readonly displayName: string }

export type Address = Texts<keyof typeof ADDRESS_FIELDS>

export interface Email {
  readonly address: string
  readonly verified: boolean
}

export interface Phone {
  readonly number: string
  readonly verified: boolean
}

interface AnyAccount {
  readonly id: string
  readonly organizationId: string
  readonly userName: string
  readonly state: AccountState
  readonly createdAt: Date
  readonly updatedAt: Date
}

export interface Person extends AnyAccount {
  readonly kind: 'human'
  readonly profile: Profile
  readonly email?: Email | undefined
  readonly phone?: Phone | undefined
  readonly address?: Address | undefined
  readonly passwordChangeRequired: boolean
}

export interface ServiceUser extends AnyAccount, Omit<ValuesOf<typeof SERVICE_USER_FIELDS>, 'clientId'> {
  readonly kind: 'service_user'
  readonly name: string
  /** Absent while its default client_id belongs to another account or application. */
  readonly clientId?: string | undefined
}

/** An account that can be the subject of a token. */
export type Account = Person | ServiceUser

/** Null removes a value; an absent field keeps it. */
type Changeable<T> = { readonly [Name in keyof T]?: Exclude<T[Name], undefined> | null | undefined }

export type ProfileChanges = Changeable<Profile>
export type AddressChanges = Changeable<Address>

export interface PersonChanges {
  readonly profile?: ProfileChanges | undefined
  readonly email?: Email | null | undefined
  readonly phone?: Phone | null | undefined
  readonly address?: AddressChanges | null | undefined
}

export interface ServiceUserChanges extends ChangesOf<typeof SERVICE_USER_FIELDS> {
  readonly name?: string | undefined
}

export interface AccountChanges extends PersonChanges, ServiceUserChanges {
  readonly userName?: string | undefined
  readonly state?: AccountState | undefined
}

/**
 * When it resolves, earlier failed sign-ins no longer delay a sign-in to the account. Rejects with ApiError UNAVAILABLE while the
 * counters cannot be reached.
 */
export type ResetFailures = (userId: string) => Promise<void>
