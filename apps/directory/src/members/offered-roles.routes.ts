import { z } from 'zod'
import type { ManagementCall } from '../api/management-call.ts'
import { operation } from '../api/operation.ts'
import { serviceUserId, userId } from '../api/parameters.ts'
import { managesOrganization, onUser, type Permission, viewsAccounts } from '../permissions/permission.ts'
import { answerOfferedRoles, listOfferedRoles, type OfferedRoleStores } from './offered-roles.service.ts'

const COLLECTION = '/management/v1/users/{userId}/offered-roles'
const target = { kind: 'user', field: 'userId' }

const offeredRoles = z
  .strictObject({
    organizationId: z.string().describe('The organization that gives the roles.'),
    organizationName: z.string(),
    projectId: z.string().optional().describe('Absent where the roles are for the organization itself.'),
    projectName: z.string().optional(),
    roles: z.array(z.string()).readonly(),
  })
  .meta({ id: 'OfferedRoles' })

const answer = z.strictObject({
  objectId: z.string().min(1).max(200).describe('The organization or the project that the roles are for.'),
  roles: z.array(z.string().max(200)).min(1, 'must name a role').max(100, 'may be 100 at most'),
})
const example = (role: string) => ({ objectId: 'partner', roles: [role] })

/** Roles of the account in other organizations must not keep its own organization from answering for it. */
const answersForUser: Permission = { ...onUser(managesOrganization), compared: () => 'here' }

export const offeredRoleOperations = [
  operation({
    id: 'offered_role.list',
    summary: 'Lists the roles in other organizations that a user was given and that are not accepted',
    description: 'They do not count until they are accepted: by a person at the next sign-in.',
    method: 'get',
    path: COLLECTION,
    parameters: { userId },
    response: z.strictObject({ items: z.array(offeredRoles).readonly() }),
    permission: onUser(viewsAccounts),
    target,
    handle: listOfferedRoles,
  }),
  operation({
    id: 'offered_role.accept',
    summary: 'Accepts roles in another organization for a service user',
    method: 'post',
    path: `${COLLECTION}/accept`,
    parameters: { userId: serviceUserId },
    request: answer,
    example: example('ORG_OWNER_VIEWER'),
    permission: answersForUser,
    target,
    handle: (call: ManagementCall<OfferedRoleStores>, input) =>
      answerOfferedRoles(call, { ...input, accepted: true }),
  }),
  operation({
    id: 'offered_role.refuse',
    summary: 'Refuses roles in another organization for a service user',
    method: 'post',
    path: `${COLLECTION}/refuse`,
    parameters: { userId: serviceUserId },
    request: answer,
    example: example('ORG_USER_MANAGER'),
    permission: answersForUser,
    target,
    handle: (call: ManagementCall<OfferedRoleStores>, input) =>
      answerOfferedRoles(call, { ...input, accepted: false }),
  }),
]
