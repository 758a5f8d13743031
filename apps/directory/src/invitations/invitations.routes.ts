import { z } from 'zod'
import { person, personDetails } from '../accounts/account.schema.ts'
import { operation } from '../api/operation.ts'
import { invitedTo, organizationId, projectId, roleKey } from '../api/parameters.ts'
import { managesAccounts, onOrganization } from '../permissions/permission.ts'
import { userName } from '../schema/fields.ts'
import { createInvitation } from './invitations.service.ts'

const MOST_PROJECTS = 20

const grant = z.strictObject({
  projectId,
  roles: z.array(roleKey).min(1, 'must name a role').max(100, 'may be 100 at most'),
})

export const invitationOperations = [
  operation({
    id: 'invitation.create',
    summary: 'Creates a person with roles and sends the invitation',
    description:
      'All of it or nothing: a person without a password, the roles in each project, and the message with a link to choose the first password, valid for seven days. Refused where no message can be sent or the login policy forbids passwords. The roles need the rights that user_grant.create needs.',
    method: 'post',
    path: '/management/v1/invitations',
    request: z.strictObject({
      organizationId,
      userName,
      ...personDetails,
      grants: z
        .array(grant)
        .max(MOST_PROJECTS, `may be ${MOST_PROJECTS} at most`)
        .default([])
        .describe('Roles of the person, by project.'),
      clientId: invitedTo,
    }),
    example: {
      organizationId: 'acme',
      userName: 'ivan',
      profile: { givenName: 'Ivan', familyName: 'Example' },
      email: { address: 'ivan@acme.example' },
      grants: [{ projectId: 'portal', roles: ['admin'] }],
    },
    response: z
      .strictObject({
        user: person,
        grants: z
          .array(z.strictObject({ projectId: z.string(), roles: z.array(z.string()).readonly() }))
          .readonly(),
      })
      .meta({ id: 'Invitation' }),
    creates: true,
    permission: onOrganization(managesAccounts),
    target: { kind: 'user', field: 'id' },
    handle: createInvitation,
  }),
]
