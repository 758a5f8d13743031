import { newIdentifier } from '@signet/file-formats/export/record-schemas/fields'
import { mapFields } from '@signet/protocol/fields/field'
import { SIGNING_ALGORITHMS } from '@signet/protocol/signing-algorithms'
import { z } from 'zod'
import { birthdate, httpUrl, language, name, streetAddress, timeZone } from './fields.ts'

// The fields of persons and service users. The management API, the bootstrap file, SQL columns and the rows of an import
// use these tables.

interface Field {
  readonly column: string
  readonly type: z.ZodType
  /** The name in the export format, if it is another one. */
  readonly exported?: string
}

/** The claims of OIDC Core section 5.1 that a profile may hold. */
export const PROFILE_FIELDS = {
  givenName: { column: 'given_name', type: name, exported: 'firstName' },
  familyName: { column: 'family_name', type: name, exported: 'lastName' },
  displayName: { column: 'display_name', type: name },
  nickName: { column: 'nickname', type: name },
  preferredLanguage: { column: 'preferred_language', type: language },
  gender: { column: 'gender', type: name },
  birthdate: { column: 'birthdate', type: birthdate },
  middleName: { column: 'middle_name', type: name },
  picture: { column: 'picture', type: httpUrl },
  profileUrl: { column: 'profile_url', type: httpUrl },
  website: { column: 'website', type: httpUrl },
  zoneinfo: { column: 'zoneinfo', type: timeZone },
} as const satisfies Readonly<Record<string, Field>>

export const ADDRESS_FIELDS = {
  streetAddress: { column: 'street_address', type: streetAddress },
  locality: { column: 'locality', type: name },
  region: { column: 'region', type: name },
  postalCode: { column: 'postal_code', type: name },
  country: { column: 'country', type: name },
} as const satisfies Readonly<Record<string, Field>>

export const accessTokenType = z.enum(['bearer', 'jwt']).describe('bearer: opaque; jwt: RFC 9068')
export const signingAlgorithm = z.enum(SIGNING_ALGORITHMS)

/** The settings of a service user, in `directory.service_user`. */
export const SERVICE_USER_FIELDS = {
  clientId: { column: 'client_id', type: newIdentifier },
  accessTokenType: { column: 'access_token_type', type: accessTokenType },
  accessTokenSigningAlg: { column: 'access_token_signing_alg', type: signingAlgorithm },
} as const satisfies Readonly<Record<string, Field>>

export type PersonColumn =
  | (typeof PROFILE_FIELDS)[keyof typeof PROFILE_FIELDS]['column']
  | (typeof ADDRESS_FIELDS)[keyof typeof ADDRESS_FIELDS]['column']

type Fields = Readonly<Record<string, Field>>

export function typesOf<F extends Fields>(fields: F): { readonly [Name in keyof F]: F[Name]['type'] } {
  return mapFields(fields, ({ type }) => type) as { readonly [Name in keyof F]: F[Name]['type'] }
}

/** The profile of a new person. */
export const newProfile = (() => {
  const { givenName, familyName, displayName, ...claims } = typesOf(PROFILE_FIELDS)
  return z.strictObject({
    givenName,
    familyName,
    displayName: displayName.optional().describe('By default the given and the family name.'),
    ...z.strictObject(claims).partial().shape,
  })
})()

export const newAddress = z.strictObject(typesOf(ADDRESS_FIELDS)).partial()
