import { holdsRole } from '@signet/admin-api/require-role'
import type { ManagementCall } from '../management/management-call.ts'
import type { ManagementServices } from '../management/management-services.ts'
import type { Page, PageRequest } from '../management/page.ts'
import { managesOrganization } from '../permissions/sufficient-roles.ts'
import { unknownGrant } from './granted-projects.service.ts'
import type { ProjectGrant } from './project.ts'
import { requireProject } from './projects.service.ts'

interface Target extends Pick<ProjectGrant, 'organizationId'> {
  readonly projectId: string
}

export function listProjectGrants(
  _call: ManagementCall,
  { projectId, ...request }: PageRequest & Pick<Target, 'projectId'>,
  { stores }: Pick<ManagementServices, 'stores'>,
): Promise<Page<ProjectGrant>> {
  return stores.projectGrants.list(projectId, request)
}

/** It counts at once where the caller could accept it as well. */
export function addProjectGrant(
  call: ManagementCall,
  { projectId, organizationId }: Target,
): Promise<ProjectGrant> {
  return call.change(async ({ projects, projectGrants }) => {
    const { organizationId: owner } = await requireProject(projects, projectId)
    const accepted =
      owner === organizationId ||
      managesOrganization({ organizationId }).some((role) => holdsRole(call.caller, role))
    await projectGrants.add(projectId, { organizationId, accepted })
    return { result: { organizationId, accepted } }
  })
}

/** Its people keep their tokens until they refresh them; at the next sign-in they are refused. */
export function deleteProjectGrant(
  call: ManagementCall,
  { projectId, organizationId }: Target,
): Promise<void> {
  return call.change(async ({ projectGrants }) => {
    if (await projectGrants.delete(projectId, organizationId)) return { result: undefined }
    throw unknownGrant()
  })
}
