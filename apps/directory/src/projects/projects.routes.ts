import { newIdentifier } from '@signet/file-formats/export/record-schemas/fields'
import { PROJECT_FIELDS } from '@signet/protocol/fields/project'
import { z } from 'zod'
import { operation } from '../api/operation.ts'
import { organizationId, patch, projectId, timestamp } from '../api/parameters.ts'
import {
  listsSeen,
  managesOrganization,
  managesProject,
  onOrganization,
  onProject,
  viewsOrganization,
  viewsProject,
  withChosenIds,
} from '../permissions/permission.ts'
import { newSchemas, requestSchemas, responseSchemas } from '../schema/field-schemas.ts'
import { name } from '../schema/fields.ts'
import { pageOf, paging } from '../schema/paging.ts'
import { createProject, deleteProject, listProjects, readProject, updateProject } from './projects.service.ts'

const COLLECTION = '/management/v1/projects'
const ITEM = `${COLLECTION}/{projectId}`

const project = z
  .strictObject({
    id: z.string(),
    organizationId: z.string(),
    ...responseSchemas(PROJECT_FIELDS),
    createdAt: timestamp,
  })
  .meta({ id: 'Project' })

export const projectOperations = [
  operation({
    id: 'project.list',
    summary: 'Lists projects',
    description: 'Without organizationId all that the caller may see.',
    method: 'get',
    path: COLLECTION,
    query: {
      ...paging,
      organizationId: organizationId.optional(),
      name: name.optional().describe('Exactly this name.'),
    },
    response: pageOf(project),
    permission: listsSeen(onOrganization(viewsOrganization), viewsProject),
    handle: listProjects,
  }),
  operation({
    id: 'project.create',
    summary: 'Creates a project',
    method: 'post',
    path: COLLECTION,
    request: z.strictObject({
      id: newIdentifier.optional().describe('Generated when left out; only IAM_OWNER chooses it.'),
      organizationId,
      ...newSchemas(PROJECT_FIELDS),
    }),
    opaque: ['authorizationDetailTypes'],
    example: { organizationId: 'acme', name: 'Shop', projectRoleAssertion: true },
    response: project,
    creates: true,
    permission: withChosenIds(onOrganization(managesOrganization), 'id'),
    handle: createProject,
  }),
  operation({
    id: 'project.read',
    summary: 'Shows a project',
    method: 'get',
    path: ITEM,
    parameters: { projectId },
    response: project,
    permission: onProject(viewsProject),
    handle: readProject,
  }),
  operation({
    id: 'project.update',
    summary: 'Changes a project',
    method: 'patch',
    path: ITEM,
    parameters: { projectId },
    request: patch(requestSchemas(PROJECT_FIELDS)),
    opaque: ['authorizationDetailTypes'],
    example: { projectRoleCheck: true },
    response: project,
    permission: onProject(managesProject),
    handle: updateProject,
  }),
  operation({
    id: 'project.delete',
    summary: 'Deletes a project',
    description:
      'With its applications, roles and grants; every token and session of its applications ends before the answer.',
    method: 'delete',
    path: ITEM,
    parameters: { projectId },
    permission: onProject(managesProject),
    handle: deleteProject,
  }),
]
