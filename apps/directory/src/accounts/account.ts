export type AccountState = 'active' | 'inactive' | 'locked'

/** The claims of OIDC Core section 5.1 that a profile may hold. */
export interface Profile {
  readonly givenName?: string | undefined
  readonly familyName?: string | undefined
  readonly displayName: string
  readonly nickName?: string | undefined
  readonly preferredLanguage?: string | undefined
  readonly gender?: string | undefined
  readonly birthdate?: string | undefined
  readonly middleName?: string | undefined
  readonly picture?: string | undefined
  readonly profileUrl?: string | undefined
  readonly website?: string | undefined
  readonly zoneinfo?: string | undefined
}

export interface Address {
  readonly streetAddress?: string | undefined
  readonly locality?: string | undefined
  readonly region?: string | undefined
  readonly postalCode?: string | undefined
  readonly country?: string | undefined
}

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

export interface ServiceUser extends AnyAccount {
  readonly kind: 'service_user'
  readonly name: string
  /** Absent while no id is free for it. */
  readonly clientId?: string | undefined
  readonly accessTokenType: 'bearer' | 'jwt'
  readonly accessTokenSigningAlg: 'RS256' | 'ES256' | 'EdDSA'
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

export interface ServiceUserChanges {
  readonly name?: string | undefined
  readonly clientId?: string | undefined
  readonly accessTokenType?: ServiceUser['accessTokenType'] | undefined
  readonly accessTokenSigningAlg?: ServiceUser['accessTokenSigningAlg'] | undefined
}

export interface AccountChanges extends PersonChanges, ServiceUserChanges {
  readonly userName?: string | undefined
  readonly state?: AccountState | undefined
}
