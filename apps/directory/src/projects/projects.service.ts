import { ApiError } from '@signet/admin-api/api-error'
import { invalidFields } from '@signet/admin-api/json-error-handler'
import { requireRole } from '@signet/admin-api/require-role'
import { changedFields, type ManagementCall, type Tools } from '../api/management-call.ts'
import { managesInstance } from '../permissions/permission.ts'
import type { Page, PageRequest } from '../schema/paging.ts'
import type { ProjectFilter, ProjectStore } from './project.repository.ts'
import type { Project, ProjectChanges } from './project.ts'

interface Stores {
  readonly projects: ProjectStore
}

/** The stores for reading; changes get theirs from the call. */
interface Reads {
  readonly stores: Stores
}

interface Target {
  readonly projectId: string
}

export function listProjects(
  { seen }: ManagementCall<Stores>,
  { limit, cursor, ...filter }: PageRequest & ProjectFilter,
  { stores }: Reads,
): Promise<Page<Project>> {
  return stores.projects.list(filter, { limit, cursor }, seen)
}

export function readProject(
  _call: ManagementCall<Stores>,
  { projectId }: Target,
  { stores }: Reads,
): Promise<Project> {
  return requireProject(stores.projects, projectId)
}

export function createProject(
  call: ManagementCall<Stores>,
  {
    organizationId,
    name,
    ...changes
  }: ProjectChanges & { readonly organizationId: string; readonly name: string },
  { now }: Pick<Tools, 'now'>,
): Promise<Project> {
  return call.change(async ({ projects }) => {
    await requireKnownClients(projects, changes.allowedAudiences)
    await projects.add({ id: call.targetId, organizationId, name, createdAt: now(), changes })
    return { result: await requireProject(projects, call.targetId) }
  })
}

export function updateProject(
  call: ManagementCall<Stores>,
  { projectId, ...changes }: ProjectChanges & Target,
): Promise<Project> {
  return call.change(async ({ projects }) => {
    if (changes.allowedAudiences !== undefined) {
      await requireAudienceOwner(call, projects, projectId)
      const known = (await projects.find(projectId))?.allowedAudiences ?? []
      const added = changes.allowedAudiences.filter((clientId) => !known.includes(clientId))
      await requireKnownClients(projects, added)
    }
    await projects.update(projectId, changes)
    return { result: await requireProject(projects, projectId), details: changedFields(changes) }
  })
}

/**
 * Deletes a project with its applications, roles and grants. When it resolves, all tokens made for its
 * applications are revoked. A repeated call publishes again while a retired epoch of one of them is stored.
 */
export function deleteProject(call: ManagementCall<Stores>, { projectId }: Target): Promise<void> {
  return call.change(async ({ projects }) => {
    const { existed, epochs } = await projects.delete(projectId)
    if (!existed && epochs.length === 0) throw unknownProject()
    return { result: undefined, epochs }
  })
}

/** Throws ApiError PERMISSION_DENIED for a project that holds a marked application, unless an IAM_OWNER calls. */
async function requireAudienceOwner(
  { caller }: ManagementCall<Stores>,
  projects: ProjectStore,
  projectId: string,
): Promise<void> {
  if (await projects.hasMarkedApplication(projectId)) requireRole(caller, managesInstance())
}

/** Throws for a client id that is not in use: another organization could take it, and the audience with it. */
async function requireKnownClients(projects: ProjectStore, clientIds: readonly string[] = []): Promise<void> {
  if (clientIds.length === 0) return
  const unknown = await projects.unknownClients(clientIds)
  if (unknown.length > 0)
    throw invalidFields([
      { field: 'allowedAudiences', rule: `must name clients that exist; there is no ${unknown.join(', ')}` },
    ])
}

/** The project with this id, or ApiError NOT_FOUND. */
export async function requireProject(projects: ProjectStore, id: string): Promise<Project> {
  const project = await projects.find(id)
  if (project === undefined) throw unknownProject()
  return project
}

function unknownProject(): ApiError {
  return new ApiError('NOT_FOUND', 'there is no project with this id', { reason: 'project_unknown' })
}
