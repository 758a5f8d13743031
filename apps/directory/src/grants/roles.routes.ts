import { z } from 'zod'
import { operation } from '../api/operation.ts'
import { applicationId, projectId, roleKey, userId } from '../api/parameters.ts'
import {
  managesProject,
  onApplication,
  onProject,
  onUser,
  viewsAccounts,
  viewsProject,
} from '../permissions/permission.ts'
import { pageOf, paging } from '../schema/paging.ts'
import { addRoles, removeRoles } from './role-changes.service.ts'
import { listAccess, listRolesOfUser } from './role-lists.service.ts'

const heldRoles = z
  .strictObject({
    id: z.string(),
    source: z
      .enum(['user_grant', 'instance_member', 'organization_member', 'project_member'])
      .describe('A grant of roles in a project, or the membership of an administrator.'),
    roles: z.array(z.string()).readonly(),
    pendingRoles: z.array(z.string()).readonly().describe('Those that the user has not accepted.'),
    organizationId: z.string().nullable().describe('Of the project; null for roles in the instance.'),
    organizationName: z.string().nullable(),
    projectId: z.string().nullable(),
    projectName: z.string().nullable(),
    userGrantId: z.string().nullable(),
  })
  .meta({ id: 'HeldRoles' })

const roleHolder = z
  .strictObject({
    userId: z.string(),
    userName: z.string().optional().describe('Where the caller may see the people of the organization.'),
    displayName: z.string().optional(),
    organizationId: z.string(),
    state: z.string(),
    roles: z.array(z.string()).readonly(),
    userGrantId: z.string(),
  })
  .meta({ id: 'RoleHolder' })

const change = {
  method: 'post' as const,
  parameters: { projectId },
  request: z.strictObject({
    userId,
    roles: z.array(roleKey).min(1, 'must name a role').max(100, 'may be 100 at most'),
  }),
  example: { userId: 'dave', roles: ['admin'] },
  response: z
    .strictObject({
      projectId: z.string(),
      userId: z.string(),
      roles: z.array(z.string()).readonly().describe('All that the user has in the project now.'),
      userGrantId: z.string().optional().describe('Absent when no role is left.'),
    })
    .meta({ id: 'RolesOfUser' }),
  permission: onProject(managesProject),
  target: { kind: 'project', field: 'projectId' },
}

export const roleOperations = [
  operation({
    id: 'user.roles',
    summary: 'Lists the roles of a user with the place that each comes from',
    description:
      'Roles in projects, and roles as administrator: outside the organization of the user only for callers who see the instance.',
    method: 'get',
    path: '/management/v1/users/{userId}/roles',
    parameters: { userId },
    query: paging,
    response: pageOf(heldRoles),
    permission: onUser(viewsAccounts),
    target: { kind: 'user', field: 'userId' },
    handle: listRolesOfUser,
  }),
  operation({
    id: 'application.access',
    summary: 'Lists the people with roles for an application',
    description:
      'Those with roles in its project. The field admits says which people may sign in: with people_with_a_role (projectRoleCheck) these alone, with people_of_granted_organizations (hasProjectCheck) those of the organizations of the project, with everyone all.',
    method: 'get',
    path: '/management/v1/applications/{applicationId}/access',
    parameters: { applicationId },
    query: paging,
    response: pageOf(roleHolder).extend({
      admits: z.enum(['people_with_a_role', 'people_of_granted_organizations', 'everyone']),
    }),
    permission: onApplication(viewsProject),
    target: { kind: 'application', field: 'applicationId' },
    handle: listAccess,
  }),
  operation({
    ...change,
    id: 'user_grant.add',
    summary: 'Gives a user more roles in a project',
    description:
      'Keeps the roles that the user has there, and needs no id of a grant. A repetition changes nothing.',
    path: '/management/v1/projects/{projectId}/user-grants/add',
    handle: addRoles,
  }),
  operation({
    ...change,
    id: 'user_grant.remove',
    summary: 'Takes roles of a user in a project',
    description:
      'Keeps the other roles, and needs no id of a grant. Without a role left the grant is deleted.',
    path: '/management/v1/projects/{projectId}/user-grants/remove',
    handle: removeRoles,
  }),
]
