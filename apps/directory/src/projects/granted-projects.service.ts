import { ApiError } from '@signet/admin-api/api-error'
import type { ManagementCall } from '../management/management-call.ts'
import type { ManagementServices } from '../management/management-services.ts'
import type { Page, PageRequest } from '../management/page.ts'
import type { GrantedProject } from './project.ts'

interface Target {
  readonly organizationId: string
  readonly projectId: string
}

/** Lists the projects that other organizations have granted to one. */
export function listGrantedProjects(
  _call: ManagementCall,
  { organizationId, ...request }: PageRequest & Pick<Target, 'organizationId'>,
  { stores }: Pick<ManagementServices, 'stores'>,
): Promise<Page<GrantedProject>> {
  return stores.projectGrants.listReceived(organizationId, request)
}

/** The grant counts from now on; accepting it again changes nothing. */
export function acceptGrantedProject(
  call: ManagementCall,
  { organizationId, projectId }: Target,
): Promise<void> {
  return call.change(async ({ projectGrants }) => {
    if (await projectGrants.accept(projectId, organizationId)) return { result: undefined }
    throw unknownGrant()
  })
}

/** Refuses a grant, or ends one that was accepted. */
export function deleteGrantedProject(
  call: ManagementCall,
  { organizationId, projectId }: Target,
): Promise<void> {
  return call.change(async ({ projectGrants }) => {
    if (await projectGrants.delete(projectId, organizationId)) return { result: undefined }
    throw unknownGrant()
  })
}

/** Of a grant that one of the two sides names. */
export function unknownGrant(): ApiError {
  return new ApiError('NOT_FOUND', 'the project is not granted to this organization', {
    reason: 'project_grant_unknown',
  })
}
