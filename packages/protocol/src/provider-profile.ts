/** The members of a profile that another claim of an identity provider than the standard one may fill, with their names in proto. */
export const MAPPED_MEMBERS = {
  userName: 'user_name',
  givenName: 'given_name',
  familyName: 'family_name',
  nickName: 'nick_name',
  displayName: 'display_name',
  preferredLanguage: 'preferred_language',
  email: 'email',
  phone: 'phone',
} as const

export type MappedMember = keyof typeof MAPPED_MEMBERS
