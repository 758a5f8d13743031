import type { Fields } from './field.ts'

/**
 * The claims of OIDC Core section 5.1 that the profile of a person may hold. Requests, responses, the bootstrap file, the export
 * format, imports, exports and undo derive from these tables. A claim stands in `directory_read.account_v1` as well.
 */
export const PROFILE_FIELDS = {
  givenName: { kind: 'name', column: 'given_name', optional: true, exported: 'firstName' },
  familyName: { kind: 'name', column: 'family_name', optional: true, exported: 'lastName' },
  nickName: { kind: 'name', column: 'nickname', optional: true },
  /** Each person has one; a new one without it gets the given and the family name. */
  displayName: { kind: 'name', column: 'display_name' },
  /** Acts in pages and messages as well. */
  preferredLanguage: { kind: 'language', column: 'preferred_language', optional: true },
  gender: { kind: 'gender', column: 'gender', optional: true },
  middleName: { kind: 'name', column: 'middle_name', optional: true },
  picture: { kind: 'webUrl', column: 'picture', optional: true },
  profileUrl: { kind: 'webUrl', column: 'profile_url', optional: true },
  website: { kind: 'webUrl', column: 'website', optional: true },
  birthdate: { kind: 'birthdate', column: 'birthdate', optional: true },
  zoneinfo: { kind: 'timeZone', column: 'zoneinfo', optional: true },
} as const satisfies Fields

/** The address of a person (OIDC Core section 5.1.1). */
export const ADDRESS_FIELDS = {
  streetAddress: { kind: 'streetAddress', column: 'street_address', optional: true },
  locality: { kind: 'name', column: 'locality', optional: true },
  region: { kind: 'name', column: 'region', optional: true },
  postalCode: { kind: 'name', column: 'postal_code', optional: true },
  country: { kind: 'name', column: 'country', optional: true },
} as const satisfies Fields

export type PersonColumn =
  | (typeof PROFILE_FIELDS)[keyof typeof PROFILE_FIELDS]['column']
  | (typeof ADDRESS_FIELDS)[keyof typeof ADDRESS_FIELDS]['column']
