import type { DirectoryReader } from '@signet/directory-reader/directory-reader'
import type { Client } from '@signet/directory-reader/views'
import { AccessDeniedError } from '@signet/oauth-protocol/errors'

type Directory = Pick<DirectoryReader, 'account' | 'project' | 'userGrants' | 'grantedOrganizations'>

/** Whether the project of an application lets in only some users: a question that saves another one. */
export async function hasProjectChecks(directory: Directory, client: Client): Promise<boolean> {
  const project = client.projectId === null ? undefined : await directory.project(client.projectId)
  return project !== undefined && (project.hasProjectCheck || project.projectRoleCheck)
}

/**
 * identity.md, project checks: the user's organization owns or was granted the project, the user has a role in it.
 * Throws AccessDeniedError for a user that the project does not let in any more.
 */
export async function requireProjectAccess(
  directory: Directory,
  client: Client,
  userId: string,
): Promise<void> {
  const project = client.projectId === null ? undefined : await directory.project(client.projectId)
  if (project === undefined) return
  if (project.hasProjectCheck) {
    const organizationId = (await directory.account(userId))?.organizationId ?? ''
    const granted = await directory.grantedOrganizations(project.projectId)
    if (project.organizationId !== organizationId && !granted.has(organizationId)) {
      throw denied('The project was not granted to the organization of the user', 'project_not_granted')
    }
  }
  if (project.projectRoleCheck) {
    const grants = await directory.userGrants(userId)
    if (!grants.some(({ projectId, roleKeys }) => projectId === project.projectId && roleKeys.length > 0)) {
      throw denied('The user has no role in the project of the application', 'project_role_missing')
    }
  }
}

function denied(description: string, reason: string): AccessDeniedError {
  return new AccessDeniedError(description, { reason })
}
