import type { DirectoryReader } from '@signet/directory-reader/directory-reader'
import { type ProjectRefusal, projectRefusal } from '@signet/directory-reader/project-access'
import type { Client } from '@signet/directory-reader/views'
import { AccessDeniedError } from '@signet/protocol/errors'

type Directory = Pick<DirectoryReader, 'account' | 'project' | 'userGrants' | 'grantedOrganizations'>

/** Whether the project of an application lets in only some users: a question that saves another one. */
export async function hasProjectChecks(directory: Directory, client: Client): Promise<boolean> {
  const project = client.projectId === null ? undefined : await directory.project(client.projectId)
  return project !== undefined && (project.hasProjectCheck || project.projectRoleCheck)
}

const DESCRIPTIONS: Readonly<Record<ProjectRefusal, string>> = {
  project_not_granted: 'A project of the audience was not granted to the organization of the user',
  project_role_missing: 'The user has no role in a project of the audience',
}

/** Throws AccessDeniedError for a user that a project of an audience does not let in. */
export async function requireProjectAccess(
  directory: Directory,
  audience: readonly string[],
  userId: string,
): Promise<void> {
  const reason = await projectRefusal(directory, audience, userId)
  if (reason !== undefined) throw new AccessDeniedError(DESCRIPTIONS[reason], { reason })
}
