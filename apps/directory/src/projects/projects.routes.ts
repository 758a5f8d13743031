import { identifier, newIdentifier } from '@signet/file-formats/export/record-schemas/fields'
import { PRIVATE_LABELING_SETTINGS } from '@signet/protocol/label-colours'
import { z } from 'zod'
import { operation } from '../api/operation.ts'
import { organizationId, patch, projectId, timestamp } from '../api/parameters.ts'
import {
  managesOrganization,
  managesProject,
  onOrganization,
  onProject,
  viewsOrganization,
  viewsProject,
  withChosenIds,
} from '../permissions/permission.ts'
import { name } from '../schema/fields.ts'
import { pageOf, paging } from '../schema/paging.ts'
import { createProject, deleteProject, listProjects, readProject, updateProject } from './projects.service.ts'

const COLLECTION = '/management/v1/projects'
const ITEM = `${COLLECTION}/{projectId}`

const rules = {
  projectRoleAssertion: z.boolean().describe('Tokens carry the roles without being asked for them.'),
  projectRoleCheck: z.boolean().describe('Only users with a role in the project may sign in.'),
  hasProjectCheck: z.boolean().describe('Only users of an organization that has the project may sign in.'),
}
const ALLOWED_AUDIENCES =
  'Client ids of applications of other organizations that may name the project as an audience.'
const allowedAudiences = z.array(identifier).max(1_000).readonly().describe(ALLOWED_AUDIENCES)
const privateLabelingSetting = z
  .enum(PRIVATE_LABELING_SETTINGS)
  .describe(
    'Whose colours the sign-in pages have when the request names no organization: those of the organization of the project, those of the organization of the user once the user is known, or (unspecified) those of the default organization.',
  )
const project = z
  .strictObject({
    id: z.string(),
    organizationId: z.string(),
    name: z.string(),
    ...rules,
    allowedAudiences: z.array(z.string()).readonly().describe(ALLOWED_AUDIENCES),
    privateLabelingSetting,
    createdAt: timestamp,
  })
  .meta({ id: 'Project' })

export const projectOperations = [
  operation({
    id: 'project.list',
    summary: 'Lists projects',
    description: 'Without organizationId those of the whole instance.',
    method: 'get',
    path: COLLECTION,
    query: {
      ...paging,
      organizationId: organizationId.optional(),
      name: name.optional().describe('Exactly this name.'),
    },
    response: pageOf(project),
    permission: onOrganization(viewsOrganization),
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
      name,
      projectRoleAssertion: rules.projectRoleAssertion.default(false),
      projectRoleCheck: rules.projectRoleCheck.default(false),
      hasProjectCheck: rules.hasProjectCheck.default(false),
      allowedAudiences: allowedAudiences.optional(),
      privateLabelingSetting: privateLabelingSetting.optional(),
    }),
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
    request: patch({ name, ...rules, allowedAudiences, privateLabelingSetting }),
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
