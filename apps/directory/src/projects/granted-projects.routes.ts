import { z } from 'zod'
import { operation } from '../api/operation.ts'
import { organizationId, projectId } from '../api/parameters.ts'
import { managesOrganization, onOrganization, viewsOrganization } from '../permissions/permission.ts'
import { pageOf, paging } from '../schema/paging.ts'
import { acceptGrantedProject, deleteGrantedProject, listGrantedProjects } from './project-grants.service.ts'

const COLLECTION = '/management/v1/organizations/{organizationId}/granted-projects'
const ITEM = `${COLLECTION}/{projectId}`
const parameters = { organizationId, projectId }

const grantedProject = z
  .strictObject({
    projectId: z.string(),
    name: z.string(),
    organizationId: z.string().describe('The organization that owns the project.'),
    accepted: z.boolean().describe('A grant that is not accepted does not count.'),
  })
  .meta({ id: 'GrantedProject' })

export const grantedProjectOperations = [
  operation({
    id: 'granted_project.list',
    summary: 'Lists the projects that are granted to an organization',
    method: 'get',
    path: COLLECTION,
    parameters: { organizationId },
    query: paging,
    response: pageOf(grantedProject),
    permission: onOrganization(viewsOrganization),
    handle: listGrantedProjects,
  }),
  operation({
    id: 'granted_project.accept',
    summary: 'Accepts a project that is granted to an organization',
    description: 'From then on the owners of the project may give roles in it to users of the organization.',
    method: 'post',
    path: `${ITEM}/accept`,
    parameters,
    permission: onOrganization(managesOrganization),
    target: { kind: 'granted_project', field: 'projectId' },
    handle: acceptGrantedProject,
  }),
  operation({
    id: 'granted_project.delete',
    summary: 'Refuses a project that is granted to an organization, or ends the grant',
    description: 'Its people are refused at the next sign-in or refresh where the project has a check.',
    method: 'delete',
    path: ITEM,
    parameters,
    permission: onOrganization(managesOrganization),
    target: { kind: 'granted_project', field: 'projectId' },
    handle: deleteGrantedProject,
  }),
]
