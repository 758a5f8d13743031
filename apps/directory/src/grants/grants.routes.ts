import { identifier } from '@signet/file-formats/export/record-schemas/fields'
import { z } from 'zod'
import { operation } from '../api/operation.ts'
import { organizationId, projectId, roleKey, timestamp, userGrantId, userId } from '../api/parameters.ts'
import {
  managesProject,
  onProject,
  onUser,
  viewsAccounts,
  viewsProject,
  withChosenIds,
} from '../permissions/permission.ts'
import { addProjectGrant, deleteProjectGrant, listProjectGrants } from '../projects/project-grants.service.ts'
import { pageOf, paging } from '../schema/paging.ts'
import { IN_LISTS, shownUserName } from '../schema/shown-names.ts'
import {
  createUserGrant,
  deleteUserGrant,
  listGrantsOfUser,
  listUserGrants,
  readUserGrant,
  updateUserGrant,
} from './user-grants.service.ts'

const USER_GRANTS = '/management/v1/projects/{projectId}/user-grants'
const USER_GRANT = `${USER_GRANTS}/{userGrantId}`
const PROJECT_GRANTS = '/management/v1/projects/{projectId}/project-grants'

const roles = z.array(roleKey).max(1000, 'may be 1000 at most').describe('Keys of roles of the project.')

const userGrant = z
  .strictObject({
    id: z.string(),
    projectId: z.string(),
    userId: z.string(),
    roles: z.array(z.string()).readonly(),
    createdAt: timestamp,
    ...shownUserName,
    projectName: z.string().optional().describe(IN_LISTS),
  })
  .meta({ id: 'UserGrant' })

const projectGrant = z
  .strictObject({
    organizationId: z.string(),
    organizationName: z.string().optional().describe(IN_LISTS),
    accepted: z.boolean().describe('By an owner of the organization; until then it does not count.'),
  })
  .meta({ id: 'ProjectGrant' })

export const userGrantOperations = [
  operation({
    id: 'user.list_grants',
    summary: 'Lists the roles of a user in all projects',
    method: 'get',
    path: '/management/v1/users/{userId}/grants',
    parameters: { userId },
    query: paging,
    response: pageOf(userGrant),
    permission: onUser(viewsAccounts),
    handle: listGrantsOfUser,
  }),
  operation({
    id: 'user_grant.list',
    summary: 'Lists who has which roles in a project',
    method: 'get',
    path: USER_GRANTS,
    parameters: { projectId },
    query: { ...paging, userId: userId.optional() },
    response: pageOf(userGrant),
    permission: onProject(viewsProject),
    handle: listUserGrants,
  }),
  operation({
    id: 'user_grant.create',
    summary: 'Gives a user roles in a project',
    description:
      'A user of the organization of the project, or of one that has accepted a grant of it; for others only IAM_OWNER.',
    method: 'post',
    path: USER_GRANTS,
    parameters: { projectId },
    request: z.strictObject({
      id: identifier.optional().describe('Generated when left out; only IAM_OWNER chooses it.'),
      userId,
      roles,
    }),
    example: { userId: 'bob', roles: ['admin'] },
    response: userGrant,
    creates: true,
    permission: withChosenIds(onProject(managesProject), 'id'),
    handle: createUserGrant,
  }),
  operation({
    id: 'user_grant.read',
    summary: 'Shows the roles of a user in a project',
    method: 'get',
    path: USER_GRANT,
    parameters: { projectId, userGrantId },
    response: userGrant,
    permission: onProject(viewsProject),
    handle: readUserGrant,
  }),
  operation({
    id: 'user_grant.update',
    summary: 'Changes the roles of a user in a project',
    method: 'patch',
    path: USER_GRANT,
    parameters: { projectId, userGrantId },
    request: z.strictObject({ roles }),
    example: { roles: ['admin'] },
    response: userGrant,
    permission: onProject(managesProject),
    handle: updateUserGrant,
  }),
  operation({
    id: 'user_grant.delete',
    summary: 'Removes the roles of a user in a project',
    description: 'Tokens with these roles stay valid until they expire.',
    method: 'delete',
    path: USER_GRANT,
    parameters: { projectId, userGrantId },
    permission: onProject(managesProject),
    handle: deleteUserGrant,
  }),
]

export const projectGrantOperations = [
  operation({
    id: 'project_grant.list',
    summary: 'Lists the organizations that a project is granted to',
    method: 'get',
    path: PROJECT_GRANTS,
    parameters: { projectId },
    query: paging,
    response: pageOf(projectGrant),
    permission: onProject(viewsProject),
    handle: listProjectGrants,
  }),
  operation({
    id: 'project_grant.add',
    summary: 'Grants a project to an organization',
    description:
      'Once an owner of the organization accepts it, its people pass hasProjectCheck as those of the owner do.',
    method: 'post',
    path: PROJECT_GRANTS,
    parameters: { projectId },
    request: z.strictObject({ organizationId }),
    example: { organizationId: 'partner' },
    response: projectGrant,
    creates: true,
    permission: onProject(managesProject),
    target: { kind: 'project_grant', field: 'organizationId' },
    handle: addProjectGrant,
  }),
  operation({
    id: 'project_grant.delete',
    summary: 'Takes a project from an organization',
    description: 'Its people are refused at the next sign-in or refresh where the project has a check.',
    method: 'delete',
    path: `${PROJECT_GRANTS}/{organizationId}`,
    parameters: { projectId, organizationId },
    permission: onProject(managesProject),
    handle: deleteProjectGrant,
  }),
]
