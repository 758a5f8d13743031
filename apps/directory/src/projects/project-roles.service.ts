import { ApiError } from '@signet/admin-api/api-error'
import { newObject } from '@signet/protocol/fields/field'
import { ROLE_FIELDS } from '@signet/protocol/fields/role'
import { changedFields, type ManagementCall } from '../api/management-call.ts'
import type { Page, PageRequest } from '../schema/paging.ts'
import type { ProjectStore } from './project.repository.ts'
import type { ProjectRole, ProjectRoleChanges } from './project.ts'
import type { ProjectRoleStore } from './project-role.repository.ts'
import { requireProject } from './projects.service.ts'

interface Stores {
  readonly projectRoles: ProjectRoleStore
  readonly projects: ProjectStore
}

/** The stores for reading; changes get theirs from the call. */
interface Reads {
  readonly stores: Stores
}

interface Target {
  readonly projectId: string
  readonly roleKey: string
}

export function listProjectRoles(
  _call: ManagementCall<Stores>,
  { projectId, ...request }: PageRequest & Pick<Target, 'projectId'>,
  { stores }: Reads,
): Promise<Page<ProjectRole>> {
  return stores.projectRoles.list(projectId, request)
}

export function readProjectRole(
  _call: ManagementCall<Stores>,
  { projectId, roleKey }: Target,
  { stores }: Reads,
): Promise<ProjectRole> {
  return requireRole(stores.projectRoles, projectId, roleKey)
}

export function addProjectRole(
  call: ManagementCall<Stores>,
  {
    projectId,
    key,
    displayName = key,
    ...given
  }: ProjectRoleChanges & { readonly projectId: string; readonly key: string },
): Promise<ProjectRole> {
  return call.change(async ({ projects, projectRoles }) => {
    await requireProject(projects, projectId)
    const role = { key, ...newObject(ROLE_FIELDS, { ...given, displayName }) }
    await projectRoles.add(projectId, role)
    return { result: role, details: { role: key } }
  })
}

export function updateProjectRole(
  call: ManagementCall<Stores>,
  { projectId, roleKey, ...changes }: Target & ProjectRoleChanges,
): Promise<ProjectRole> {
  return call.change(async ({ projectRoles }) => {
    await projectRoles.update(projectId, roleKey, changes)
    const result = await requireRole(projectRoles, projectId, roleKey)
    return { result, details: { role: roleKey, ...changedFields(changes) } }
  })
}

/** All users lose the role; tokens that name it stay valid until they expire. */
export function deleteProjectRole(
  call: ManagementCall<Stores>,
  { projectId, roleKey }: Target,
): Promise<void> {
  return call.change(async ({ projectRoles }) => {
    if (await projectRoles.delete(projectId, roleKey))
      return { result: undefined, details: { role: roleKey } }
    throw unknownRole()
  })
}

async function requireRole(
  roles: ProjectRoleStore,
  projectId: string,
  roleKey: string,
): Promise<ProjectRole> {
  const role = await roles.find(projectId, roleKey)
  if (role === undefined) throw unknownRole()
  return role
}

function unknownRole(): ApiError {
  return new ApiError('NOT_FOUND', 'the project has no such role', { reason: 'project_role_unknown' })
}
