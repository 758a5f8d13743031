import { ROLE_FIELDS } from '@signet/protocol/fields/role'
import { z } from 'zod'
import { operation } from '../api/operation.ts'
import { patch, projectId, roleKey } from '../api/parameters.ts'
import { managesProject, onProject, viewsProject } from '../permissions/permission.ts'
import { newSchemas, requestSchemas, responseSchemas } from '../schema/field-schemas.ts'
import { name, newKey } from '../schema/fields.ts'
import { pageOf, paging } from '../schema/paging.ts'
import {
  addProjectRole,
  deleteProjectRole,
  listProjectRoles,
  readProjectRole,
  updateProjectRole,
} from './project-roles.service.ts'

const COLLECTION = '/management/v1/projects/{projectId}/roles'
const ITEM = `${COLLECTION}/{roleKey}`
/** The audit log holds no words of a caller's choice, until they are the name of something. */
const target = { kind: 'project', field: 'projectId' }

const projectRole = z
  .strictObject({ key: z.string(), ...responseSchemas(ROLE_FIELDS) })
  .meta({ id: 'ProjectRole' })

export const projectRoleOperations = [
  operation({
    id: 'project_role.list',
    summary: 'Lists the roles of a project',
    method: 'get',
    path: COLLECTION,
    parameters: { projectId },
    query: paging,
    response: pageOf(projectRole),
    permission: onProject(viewsProject),
    target,
    handle: listProjectRoles,
  }),
  operation({
    id: 'project_role.add',
    summary: 'Adds a role to a project',
    method: 'post',
    path: COLLECTION,
    parameters: { projectId },
    request: z.strictObject({
      key: newKey.describe('What tokens carry.'),
      ...newSchemas(ROLE_FIELDS),
      displayName: name.optional().describe('By default the key.'),
    }),
    example: { key: 'editor', displayName: 'Editor' },
    response: projectRole,
    creates: true,
    permission: onProject(managesProject),
    target,
    handle: addProjectRole,
  }),
  operation({
    id: 'project_role.read',
    summary: 'Shows a role of a project',
    method: 'get',
    path: ITEM,
    parameters: { projectId, roleKey },
    response: projectRole,
    permission: onProject(viewsProject),
    target,
    handle: readProjectRole,
  }),
  operation({
    id: 'project_role.update',
    summary: 'Changes how a role of a project is shown',
    method: 'patch',
    path: ITEM,
    parameters: { projectId, roleKey },
    request: patch(requestSchemas(ROLE_FIELDS)),
    example: { displayName: 'Administrator' },
    response: projectRole,
    permission: onProject(managesProject),
    target,
    handle: updateProjectRole,
  }),
  operation({
    id: 'project_role.delete',
    summary: 'Deletes a role of a project',
    description: 'All users lose the role. Tokens with the role stay valid until they expire.',
    method: 'delete',
    path: ITEM,
    parameters: { projectId, roleKey },
    permission: onProject(managesProject),
    target,
    handle: deleteProjectRole,
  }),
]
