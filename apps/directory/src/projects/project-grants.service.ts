import { ApiError } from '@signet/admin-api/api-error'
import type { ManagementCall } from '../api/management-call.ts'
import { acceptsProjectGrant } from '../permissions/authority.ts'
import { type NameReads, namesFor } from '../permissions/object-names.ts'
import type { Page, PageRequest } from '../schema/paging.ts'
import type { ProjectStore } from './project.repository.ts'
import type { GrantedProject, ProjectGrant } from './project.ts'
import type { ProjectGrantStore } from './project-grant.repository.ts'
import { requireProject } from './projects.service.ts'

interface Stores {
  readonly projectGrants: ProjectGrantStore
  readonly projects: ProjectStore
}

/** The stores for reading; changes get theirs from the call. */
interface Reads {
  readonly stores: Stores
}

interface Target {
  readonly organizationId: string
  readonly projectId: string
}

export async function listProjectGrants(
  call: ManagementCall<Stores>,
  { projectId, ...request }: PageRequest & Pick<Target, 'projectId'>,
  services: Reads & NameReads,
): Promise<Page<ProjectGrant & { readonly organizationName?: string | undefined }>> {
  const page = await services.stores.projectGrants.list(projectId, request)
  const ids = { organization: page.items.map(({ organizationId }) => organizationId) }
  const nameOf = await namesFor(call, ids, services)
  const items = page.items.map((grant) => ({
    ...grant,
    organizationName: nameOf('organization', grant.organizationId)?.name,
  }))
  return { ...page, items }
}

/** Adds a grant, which counts at once where the caller could accept it as well. */
export function addProjectGrant(
  call: ManagementCall<Stores>,
  { projectId, organizationId }: Target,
): Promise<ProjectGrant> {
  return call.change(async ({ projects, projectGrants }) => {
    const { organizationId: owner } = await requireProject(projects, projectId)
    const accepted = acceptsProjectGrant(call.caller.roles, { owner, receiver: organizationId })
    await projectGrants.add(projectId, { organizationId, accepted })
    return { result: { organizationId, accepted } }
  })
}

/**
 * Deletes a grant. The people of its organization keep their tokens until they refresh them; at the next sign-in they
 * are refused.
 */
export function deleteProjectGrant(
  call: ManagementCall<Stores>,
  { projectId, organizationId }: Target,
): Promise<void> {
  return call.change(async ({ projectGrants }) => {
    if (await projectGrants.delete(projectId, organizationId)) return { result: undefined }
    throw unknownGrant()
  })
}

/** Lists the projects that other organizations have granted to one. */
export function listGrantedProjects(
  _call: ManagementCall<Stores>,
  { organizationId, ...request }: PageRequest & Pick<Target, 'organizationId'>,
  { stores }: Reads,
): Promise<Page<GrantedProject>> {
  return stores.projectGrants.listReceived(organizationId, request)
}

/** The grant counts from now on; accepting it again changes nothing. */
export function acceptGrantedProject(
  call: ManagementCall<Stores>,
  { organizationId, projectId }: Target,
): Promise<void> {
  return call.change(async ({ projectGrants }) => {
    if (await projectGrants.accept(projectId, organizationId)) return { result: undefined }
    throw unknownGrant()
  })
}

/** Refuses a grant, or ends one that was accepted. */
export function deleteGrantedProject(
  call: ManagementCall<Stores>,
  { organizationId, projectId }: Target,
): Promise<void> {
  return call.change(async ({ projectGrants }) => {
    if (await projectGrants.delete(projectId, organizationId)) return { result: undefined }
    throw unknownGrant()
  })
}

/** Returns the error for an unknown grant that one of the two sides names. */
function unknownGrant(): ApiError {
  return new ApiError('NOT_FOUND', 'the project is not granted to this organization', {
    reason: 'project_grant_unknown',
  })
}
