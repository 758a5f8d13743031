import { mapFields } from '@signet/protocol/fields/field'
import { ADDRESS_FIELDS, PROFILE_FIELDS } from '@signet/protocol/fields/person'
import { SERVICE_USER_FIELDS } from '@signet/protocol/fields/service-user'
import { z } from 'zod'
import { timestamp } from '../api/parameters.ts'
import { requestSchemas, responseSchemas } from '../schema/field-schemas.ts'
import { email as emailAddress, name, phoneNumber } from '../schema/fields.ts'
import { newAddress, newProfile, profileOrder } from '../schema/people.ts'

export const accountState = z.enum(['active', 'inactive', 'locked'])

const settings = requestSchemas(SERVICE_USER_FIELDS)
const optional = <S extends z.core.$ZodLooseShape>(shape: S) => z.strictObject(shape).partial().shape
const removable = <T extends z.ZodType>(type: T) => type.nullable().optional()

const allText = <F extends object>(fields: F) =>
  mapFields(fields as F & Readonly<Record<string, unknown>>, () => z.string()) as {
    readonly [Name in keyof F]: z.ZodString
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
    .strictObject(profileOrder({ ...requestSchemas(PROFILE_FIELDS), givenName: name, familyName: name }))
    .partial()
    .optional(),
  email: removable(email),
  phone: removable(phone),
  address: removable(z.strictObject(requestSchemas(ADDRESS_FIELDS)).partial()),
}

/** The fields of a new service user, and changes of an existing one. */
export const serviceUserDetails = {
  name: name.optional().describe('By default the user name.'),
  ...optional(settings),
  clientId: settings.clientId
    .optional()
    .describe(
      'Only IAM_OWNER chooses it. By default the user name; if that is taken, userName@primaryDomain; if it belonged to a deleted account or application, generated.',
    ),
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
const shownProfile = z.strictObject(profileOrder({ ...optional(allText(PROFILE_FIELDS)), displayName: text }))

export const person = z
  .strictObject({
    kind: z.literal('human'),
    ...shown,
    profile: shownProfile,
    email: z.strictObject({ address: text, verified: z.boolean() }).optional(),
    phone: z.strictObject({ number: text, verified: z.boolean() }).optional(),
    address: z.strictObject(allText(ADDRESS_FIELDS)).partial().optional(),
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
    ...responseSchemas(SERVICE_USER_FIELDS),
    clientId: text.optional().describe('Absent while no id is free for it.'),
  })
  .meta({ id: 'ServiceUser' })

export const account = z.discriminatedUnion('kind', [person, serviceUser]).meta({ id: 'User' })
