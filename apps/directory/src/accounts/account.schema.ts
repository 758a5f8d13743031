import { z } from 'zod'
import {
  birthdate,
  email as emailAddress,
  httpUrl,
  language,
  name,
  newIdentifier,
  phoneNumber,
  timeZone,
} from '../bootstrap/schema/fields.ts'
import { accessTokenType, signingAlgorithm } from '../bootstrap/schema/people.ts'
import { timestamp } from '../management/parameters.ts'

export const accountState = z.enum(['active', 'inactive', 'locked'])

const names = { givenName: name, familyName: name }
const claims = {
  nickName: name,
  preferredLanguage: language,
  gender: name,
  birthdate,
  middleName: name,
  picture: httpUrl,
  profileUrl: httpUrl,
  website: httpUrl,
  zoneinfo: timeZone,
}
const addressLines = {
  streetAddress: z.string().max(500),
  locality: name,
  region: name,
  postalCode: name,
  country: name,
}
const optional = <S extends z.core.$ZodLooseShape>(shape: S) => z.strictObject(shape).partial().shape
const removable = <T extends z.ZodType>(type: T) => type.nullable().optional()

const email = z.strictObject({
  address: emailAddress,
  verified: z
    .boolean()
    .default(false)
    .describe('True by IAM_OWNER, or for an address in a verified domain of the organization.'),
})
const phone = z.strictObject({ number: phoneNumber, verified: z.boolean().default(false) })

/** Of a new person. */
export const personDetails = {
  profile: z.strictObject({
    ...names,
    displayName: name.optional().describe('By default the given and the family name.'),
    ...optional(claims),
  }),
  email: email.optional(),
  phone: phone.optional(),
  address: z.strictObject(addressLines).partial().optional(),
}

/** Of a person that is there: null takes a value away. */
export const personChanges = {
  profile: z
    .strictObject({
      ...optional({ ...names, displayName: name }),
      nickName: removable(claims.nickName),
      preferredLanguage: removable(claims.preferredLanguage),
      gender: removable(claims.gender),
      birthdate: removable(claims.birthdate),
      middleName: removable(claims.middleName),
      picture: removable(claims.picture),
      profileUrl: removable(claims.profileUrl),
      website: removable(claims.website),
      zoneinfo: removable(claims.zoneinfo),
    })
    .optional(),
  email: removable(email),
  phone: removable(phone),
  address: removable(
    z.strictObject({
      streetAddress: removable(addressLines.streetAddress),
      locality: removable(addressLines.locality),
      region: removable(addressLines.region),
      postalCode: removable(addressLines.postalCode),
      country: removable(addressLines.country),
    }),
  ),
}

/** Of a service user, new or not. */
export const serviceUserDetails = {
  name: name.optional().describe('By default the user name.'),
  clientId: newIdentifier
    .optional()
    .describe(
      'Only IAM_OWNER chooses it. By default the user name; where that is taken, userName@primaryDomain; where it belonged to something deleted, generated.',
    ),
  accessTokenType: accessTokenType.optional(),
  accessTokenSigningAlg: signingAlgorithm.optional(),
}

// Stored values may come from an import and be older than a rule, so responses promise their type and not
// their syntax.
const text = z.string()
const shown = {
  id: text,
  organizationId: text,
  userName: text,
  state: accountState,
  createdAt: timestamp,
  updatedAt: timestamp,
}
const shownProfile = z.strictObject({
  givenName: text.optional(),
  familyName: text.optional(),
  displayName: text,
  ...optional({
    nickName: text,
    preferredLanguage: text,
    gender: text,
    birthdate: text,
    middleName: text,
    picture: text,
    profileUrl: text,
    website: text,
    zoneinfo: text,
  }),
})

export const person = z
  .strictObject({
    kind: z.literal('human'),
    ...shown,
    profile: shownProfile,
    email: z.strictObject({ address: text, verified: z.boolean() }).optional(),
    phone: z.strictObject({ number: text, verified: z.boolean() }).optional(),
    address: z
      .strictObject({ streetAddress: text, locality: text, region: text, postalCode: text, country: text })
      .partial()
      .optional(),
    passwordChangeRequired: z
      .boolean()
      .describe('The person has to choose another password at the next sign-in.'),
  })
  .meta({ id: 'Person' })

export const serviceUser = z
  .strictObject({
    kind: z.literal('service_user'),
    ...shown,
    name: text,
    clientId: text.optional().describe('Absent while no id is free for it.'),
    accessTokenType,
    accessTokenSigningAlg: signingAlgorithm,
  })
  .meta({ id: 'ServiceUser' })

export const account = z.discriminatedUnion('kind', [person, serviceUser]).meta({ id: 'User' })
