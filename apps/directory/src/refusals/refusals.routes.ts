import { z } from 'zod'
import { operation } from '../api/operation.ts'
import { timestamp } from '../api/parameters.ts'
import { listsSeen, onInstance, readsAnything } from '../permissions/permission.ts'
import { pageOf, paging } from '../schema/paging.ts'
import { REFUSING_SERVICES } from './refusal.ts'
import { listRefusals } from './refusals.service.ts'

const refusal = z
  .strictObject({
    id: z.string(),
    at: timestamp,
    requestId: z.string().describe('The X-Request-Id of the response, which error pages show.'),
    service: z.enum(REFUSING_SERVICES),
    result: z
      .enum(['refused', 'changed'])
      .describe('changed: the request was answered, otherwise than it asked.'),
    reason: z.string().describe('The label of docs/reference/errors.md.'),
    clientId: z
      .string()
      .describe('For a registration of a client (RFC 7591) the id of its initial access token.'),
    applicationId: z.string().optional().describe('Absent for a service user and an initial access token.'),
    organizationId: z.string().optional().describe('The organization of the client. For its administrators.'),
    userId: z
      .string()
      .optional()
      .describe('The person, where known. For administrators of the organization of the person.'),
    clientAddress: z.string().optional().describe('For administrators of the organization of the person.'),
    values: z
      .record(z.string(), z.string())
      .describe(
        'Short values that the rule looked at, such as received. For administrators of the client and of the identity provider; sent and expected for the latter alone.',
      ),
    cause: z.string().optional().describe('The rule in words.'),
    cure: z.string().optional().describe('A command or a sentence.'),
  })
  .meta({ id: 'Refusal' })

const filter = (description: string) =>
  z
    .string()
    .regex(/^[^\0]{1,200}$/u, 'must have 1 to 200 characters, none of them U+0000')
    .optional()
    .describe(description)

export const refusalOperations = [
  operation({
    id: 'refusal.list',
    summary: 'Lists requests that were refused, or answered otherwise than they asked, newest first',
    description:
      'Of the last week, the newest 100 of each client. Administrators of an organization see those of its people, its applications and its identity providers.',
    method: 'get',
    path: '/management/v1/refusals',
    query: {
      ...paging,
      requestId: filter('The X-Request-Id of a response.'),
      application: filter(
        'The id or the client id of an application, the client id of a service user, or the id of an initial access token.',
      ),
      user: filter('The id of a person or a service user.'),
      provider: filter('The id of an identity provider, for its administrators.'),
    },
    response: pageOf(refusal),
    permission: listsSeen(onInstance(readsAnything), readsAnything),
    handle: listRefusals,
  }),
]
