import { z } from 'zod'
import { operation } from '../api/operation.ts'
import { NAMED_KINDS } from '../permissions/object-name.ts'
import { forEveryCaller } from '../permissions/permission.ts'
import { findReferences, readCaller } from './references.service.ts'

const roles = z.array(z.string()).readonly()
const administered = z
  .array(z.strictObject({ id: z.string(), name: z.string().optional(), roles }))
  .readonly()

const caller = z
  .strictObject({
    issuer: z.string().describe('The public origin of the suite.'),
    userId: z.string(),
    kind: z.enum(['human', 'service_user']),
    userName: z.string().optional(),
    displayName: z.string().optional(),
    organizationId: z.string().describe('The organization that the user belongs to.'),
    organizationName: z.string().optional(),
    roles: roles.describe('The roles in the instance that count for this call.'),
    organizations: administered.describe('The organizations that the user has roles in.'),
    projects: administered.describe('The projects that the user has roles in.'),
    signInDemand: z
      .strictObject({ maxAgeSeconds: z.int().optional(), acrValues: z.array(z.string()).readonly() })
      .optional()
      .describe('Roles in the instance do not count before a sign-in that meets this.'),
  })
  .meta({ id: 'Caller' })

const reference = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    organizationId: z.string(),
    organizationName: z.string(),
    projectId: z.string().optional().describe('The project of an application.'),
    projectName: z.string().optional(),
  })
  .meta({ id: 'Reference' })

export const referenceOperations = [
  operation({
    id: 'me.read',
    summary: 'Shows who calls, with the roles that count',
    description:
      'For every caller. It has the ids and names of the organizations that the caller administers.',
    method: 'get',
    path: '/management/v1/me',
    response: caller,
    permission: forEveryCaller,
    target: { kind: 'user', field: 'userId' },
    handle: readCaller,
  }),
  operation({
    id: 'reference.find',
    summary: 'Finds the objects that a name means',
    description:
      'Of those that the caller may read: an organization by its name or a verified domain, a user by user name, login name or e-mail address, a project by its name, an application by its client id or name; any of them by its id, which goes before every name. Names count in any case. More than one item: the name is ambiguous. At most 20.',
    method: 'get',
    path: '/management/v1/references',
    query: {
      kind: z
        .enum(NAMED_KINDS)
        .describe('What the name is of.')
        .meta({ examples: ['user'] }),
      name: z
        .string()
        .min(1, 'must not be empty')
        .max(400, 'may have at most 400 characters')
        .describe('An id or a name.')
        .meta({ examples: ['alice'] }),
    },
    response: z.strictObject({ items: z.array(reference).readonly() }).meta({ id: 'References' }),
    permission: forEveryCaller,
    handle: findReferences,
  }),
]
