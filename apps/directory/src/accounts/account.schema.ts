import { z } from 'zod'
import { timestamp } from '../api/parameters.ts'
import { email as emailAddress, name, phoneNumber } from '../schema/fields.ts'
import {
  ADDRESS_FIELDS,
  newAddress,
  newProfile,
  PROFILE_FIELDS,
  SERVICE_USER_FIELDS,
  typesOf,
} from '../schema/person-fields.ts'

export const accountState = z.enum(['active', 'inactive', 'locked'])

const { givenName, familyName, displayName, ...claims } = typesOf(PROFILE_FIELDS)
const addressLines = typesOf(ADDRESS_FIELDS)
const { clientId, accessTokenType, accessTokenSigningAlg } = typesOf(SERVICE_USER_FIELDS)
const optional = <S extends z.core.$ZodLooseShape>(shape: S) => z.strictObject(shape).partial().shape
const removable = <T extends z.ZodType>(type: T) => type.nullable().optional()

type Removable<Types> = {
  readonly [Name in keyof Types]: Types[Name] extends z.ZodType
    ? ReturnType<typeof removable<Types[Name]>>
    : never
}

const allRemovable = <Types extends Readonly<Record<string, z.ZodType>>>(types: Types) =>
  Object.fromEntries(
    Object.entries(types).map(([member, type]) => [member, removable(type)]),
  ) as Removable<Types>

const allText = <Types extends object>(types: Types) =>
  Object.fromEntries(Object.keys(types).map((member) => [member, z.string()])) as {
    readonly [Name in keyof Types]: z.ZodString
  }

const email = z.strictObject({
  address: emailAddress,
  verified: z
    .boolean()
    .default(false)
    .describe('True by IAM_OWNER, or for an address in a verified domain of the organization.'),
})
const phone = z.strictObject({ number: phoneNumber, verified: z.boolean().default(false) })

/** The fields of a new person. */
export const personDetails = {
  profile: newProfile,
  email: email.optional(),
  phone: phone.optional(),
  address: newAddress.optional(),
}

/** Changes of an existing person; null deletes a value. */
export const personChanges = {
  profile: z
    .strictObject({ ...optional({ givenName, familyName, displayName }), ...allRemovable(claims) })
    .optional(),
  email: removable(email),
  phone: removable(phone),
  address: removable(z.strictObject(allRemovable(addressLines))),
}

/** The fields of a new service user, and changes of an existing one. */
export const serviceUserDetails = {
  name: name.optional().describe('By default the user name.'),
  clientId: clientId
    .optional()
    .describe(
      'Only IAM_OWNER chooses it. By default the user name; if that is taken, userName@primaryDomain; if it belonged to a deleted account or application, generated.',
    ),
  accessTokenType: accessTokenType.optional(),
  accessTokenSigningAlg: accessTokenSigningAlg.optional(),
}

// Stored values may come from an import and be older than a rule, so the response schemas have only their type.
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
  ...optional(allText(claims)),
})

export const person = z
  .strictObject({
    kind: z.literal('human'),
    ...shown,
    profile: shownProfile,
    email: z.strictObject({ address: text, verified: z.boolean() }).optional(),
    phone: z.strictObject({ number: text, verified: z.boolean() }).optional(),
    address: z.strictObject(allText(addressLines)).partial().optional(),
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
    accessTokenSigningAlg,
  })
  .meta({ id: 'ServiceUser' })

export const account = z.discriminatedUnion('kind', [person, serviceUser]).meta({ id: 'User' })
