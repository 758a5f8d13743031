import { z } from 'zod'
import { applicationSchema } from '../../applications/application.schema.ts'
import { identifier, name, newIdentifier, userIdentifier } from './text-fields.ts'

const projectRole = z.strictObject({
  key: name,
  displayName: name.optional().describe('By default the key.'),
  group: name.optional(),
})

const userGrant = z.strictObject({ userId: userIdentifier, roles: z.array(name) })

export const projectSchema = z.strictObject({
  id: newIdentifier.optional().describe('Generated when left out.'),
  name,
  projectRoleAssertion: z.boolean().optional(),
  projectRoleCheck: z.boolean().optional().describe('Only users with a role in the project may sign in.'),
  hasProjectCheck: z
    .boolean()
    .optional()
    .describe('Only users of an organization that has the project may sign in.'),
  allowedAudiences: z
    .array(identifier)
    .optional()
    .describe('Client ids of applications of other organizations that may name the project as an audience.'),
  roles: z.array(projectRole).optional(),
  grants: z.array(userGrant).optional(),
  applications: z.array(applicationSchema).optional(),
})
