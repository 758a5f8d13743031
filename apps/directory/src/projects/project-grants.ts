import { ApiError } from '@signet/http-server/api-error'
import type { ManagementCall } from '../management/management-call.ts'
import type { ManagementServices } from '../management/management-services.ts'
import type { Page, PageRequest } from '../management/page.ts'
import type { ProjectGrant } from './project.ts'
import { requireProject } from './projects.ts'

interface Target extends ProjectGrant {
  readonly projectId: string
}

export function listProjectGrants(
  _call: ManagementCall,
  { projectId, ...request }: PageRequest & Pick<Target, 'projectId'>,
  { stores }: Pick<ManagementServices, 'stores'>,
): Promise<Page<ProjectGrant>> {
  return stores.projectGrants.list(projectId, request)
}

export function addProjectGrant(
  call: ManagementCall,
  { projectId, organizationId }: Target,
): Promise<ProjectGrant> {
  return call.change(async ({ projects, projectGrants }) => {
    await requireProject(projects, projectId)
    await projectGrants.add(projectId, { organizationId })
    return { result: { organizationId } }
  })
}

/** Its people keep their tokens until they refresh them; at the next sign-in they are refused. */
export function deleteProjectGrant(
  call: ManagementCall,
  { projectId, organizationId }: Target,
): Promise<void> {
  return call.change(async ({ projectGrants }) => {
    if (await projectGrants.delete(projectId, organizationId)) return { result: undefined }
    throw new ApiError('NOT_FOUND', 'the project is not granted to this organization', {
      reason: 'project_grant_unknown',
    })
  })
}
