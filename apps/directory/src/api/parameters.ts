import { identifier, userIdentifier } from '@signet/file-formats/export/record-schemas/fields'
import { z } from 'zod'

const asText = {
  decode: (text: string) => new Date(text),
  encode: (date: Date) => date.toISOString(),
}

/** RFC 3339 text on the wire. */
export const timestamp = z.codec(z.iso.datetime(), z.date(), asText)

/** A time that a caller chooses, in any zone. */
export const moment = z.codec(
  z.iso.datetime({ offset: true, error: 'must be a time such as 2030-01-01T00:00:00Z' }),
  z.date(),
  asText,
)

/** The body of a change: every member may be left out, but not all of them. */
export function patch<S extends z.core.$ZodLooseShape>(members: S) {
  return z
    .strictObject(members)
    .partial()
    .refine((changes) => Object.keys(changes).length > 0, 'the body must name a field to change')
}

/** An id in a path or a query. */
function objectId(description: string, example: string, syntax = identifier) {
  return syntax.describe(description).meta({ examples: [example] })
}

export const organizationId = objectId('The id of an organization.', 'acme')
export const userId = objectId('The id of a person or a service user.', 'alice', userIdentifier)
/** Path parameter of operations on service users. */
export const serviceUserId = objectId('The id of a service user.', 'migrator-id', userIdentifier)
export const tokenId = objectId('The id of a personal access token.', 'first')
export const registrationTokenId = objectId('The id of an initial access token.', 'agents')
export const passkeyId = objectId('The id of a passkey.', '390000000000000001')
export const keyId = objectId('The id of a key: the kid of assertions.', 'k1')
/** Path parameter of operations on keys of applications. */
export const applicationKeyId = objectId('The id of a key: the kid of assertions.', 'web-key')
export const trustId = objectId('The id of a trusted issuer.', 'cluster')
export const providerId = objectId('The id of an identity provider.', 'corporate')
export const testId = objectId('The id of a test of an identity provider.', '391000000000000001')
export const linkId = objectId('The id of the link of an account to an identity provider.', 'alice-corporate')
export const userGrantId = objectId('The id of the grant of roles to a user.', 'alice-portal')
export const sessionId = objectId('The id of a session: the sid of its tokens.', 'x1tsmRzXyvBbqSkE5SOzYQ')
export const projectId = objectId('The id of a project.', 'portal')
export const applicationId = objectId('The id of an application.', 'web')

/** The key of something that exists; imports may have stored what a new key may not have. */
export const storedKey = z
  .string()
  .regex(/^[^\0]{1,200}$/u, 'must have 1 to 200 characters, none of them U+0000')

export const roleKey = storedKey.describe('The key of a role of the project.').meta({ examples: ['admin'] })

/** The application that a person is invited to. */
export const invitedTo = identifier
  .optional()
  .describe(
    'The client id of the application that the person is invited to. Message and page name it, and the page leads on to its initiateLoginUri or homePage.',
  )
