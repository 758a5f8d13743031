import {
  isOwnApi,
  resourceUriProblem,
  resourceUris,
  unknownResource,
} from '@signet/protocol/resource-indicator'
import { API_PROJECT } from '@signet/protocol/scopes'
import type { DirectoryReader } from './directory-reader.ts'
import type { Client, Project } from './views.ts'

type Directory = Pick<DirectoryReader, 'account' | 'project' | 'userGrants' | 'grantedOrganizations'>

/** Check of a project that refuses a user. */
export interface ProjectRefusal {
  readonly reason: 'project_not_granted' | 'project_role_missing'
  readonly projectId: string
}

/**
 * The checks that the projects of an audience make, where they make any: the user's organization owns or was granted
 * the project, the user has a role in it. Undefined for a user whom all of them let in. An id of no project is passed
 * over, since an audience names clients as well.
 */
export async function projectRefusal(
  directory: Directory,
  audience: readonly string[],
  userId: string,
): Promise<ProjectRefusal | undefined> {
  for (const id of audience) {
    const project = await directory.project(id)
    const reason = project && (await refusalOf(directory, project, userId))
    if (reason !== undefined) return { reason, projectId: id }
  }
  return undefined
}

/** Whether the project of an application lets in only some users: a question that saves another one. */
export async function hasProjectChecks(
  directory: Pick<DirectoryReader, 'project'>,
  { projectId }: Pick<Client, 'projectId'>,
): Promise<boolean> {
  const project = projectId === null ? undefined : await directory.project(projectId)
  return project !== undefined && (project.hasProjectCheck || project.projectRoleCheck)
}

async function refusalOf(
  directory: Directory,
  project: Project,
  userId: string,
): Promise<ProjectRefusal['reason'] | undefined> {
  if (project.hasProjectCheck) {
    const organizationId = (await directory.account(userId))?.organizationId ?? ''
    const granted = await directory.grantedOrganizations(project.projectId)
    if (project.organizationId !== organizationId && !granted.has(organizationId))
      return 'project_not_granted'
  }
  if (project.projectRoleCheck) {
    const grants = await directory.userGrants(userId)
    const hasRole = grants.some((grant) => grant.projectId === project.projectId && grant.roleKeys.length > 0)
    if (!hasRole) return 'project_role_missing'
  }
  return undefined
}

/** The client that requests an access token. */
export type AudienceAsker = Pick<Client, 'clientId' | 'organizationId' | 'kind' | 'mayCallApi'>

/** The requested audiences: projects, and Signet's own APIs. */
interface WantedAudiences {
  readonly namesApi: boolean
  readonly projectIds: readonly string[]
}

/** Whether a client may name all of these audiences. Every project is asked, so that no answer comes earlier. */
export async function mayNameAudiences(
  directory: Pick<DirectoryReader, 'allowsAudience'>,
  client: AudienceAsker,
  { namesApi, projectIds }: WantedAudiences,
): Promise<boolean> {
  const allowed = await Promise.all(projectIds.map((id) => directory.allowsAudience(id, client)))
  return !allowed.includes(false) && (!namesApi || mayNameApi(client))
}

export interface ResourceDirectory {
  readonly directory: Pick<DirectoryReader, 'allowsAudience' | 'projectOfResource'>
  readonly issuer: string
}

/**
 * The projects that a request names by `resource` (RFC 8707 section 2), each once. Throws InvalidTargetError for a URI that no
 * project has, and for one whose project does not let the client name it.
 */
export async function projectsOfResources(
  { directory, issuer }: ResourceDirectory,
  client: Pick<AudienceAsker, 'clientId' | 'organizationId'>,
  resource: string | undefined,
): Promise<readonly string[]> {
  const found = resourceUris(resource).map(async (uri) => {
    // Whether the client may name it is the question of its scope.
    if (isOwnApi(uri, issuer)) return API_PROJECT
    const projectId =
      resourceUriProblem(uri) === undefined ? await directory.projectOfResource(uri) : undefined
    if (projectId !== undefined && (await directory.allowsAudience(projectId, client))) return projectId
    throw unknownResource(uri)
  })
  return [...new Set(await Promise.all(found))]
}

/**
 * An audience with the URI of each project in it, for the `aud` of an access token (RFC 8707 section 2). The id of the client is not
 * looked up: that it is no project would be asked again and again, and without PostgreSQL there would be no token.
 */
export async function withResourceUris(
  directory: Pick<DirectoryReader, 'project'>,
  audience: readonly string[],
  { clientId, projectId }: Pick<Client, 'clientId' | 'projectId'>,
): Promise<readonly string[]> {
  const projects = audience.filter((id) => id === projectId || (id !== clientId && id !== API_PROJECT))
  const uris = projects.map(async (id) => (await directory.project(id))?.resourceUri ?? [])
  return [...audience, ...(await Promise.all(uris)).flat()]
}

/** Tokens of people are for our own APIs only through marked applications; a service user's own ones need no mark. */
export function mayNameApi({ kind, mayCallApi }: Pick<AudienceAsker, 'kind' | 'mayCallApi'>): boolean {
  return kind === 'service_user' || mayCallApi
}
