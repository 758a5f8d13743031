import type { DirectoryReader } from './directory-reader.ts'

type Directory = Pick<DirectoryReader, 'account' | 'project' | 'userGrants' | 'grantedOrganizations'>

/** Which check of a project keeps a user out. */
export type ProjectRefusal = 'project_not_granted' | 'project_role_missing'

/**
 * The checks that the project of an application makes, where it makes any: the user's organization owns or was granted
 * the project, the user has a role in it. Undefined for a user who is let in, and for an application without a project.
 */
export async function projectRefusal(
  directory: Directory,
  projectId: string | null,
  userId: string,
): Promise<ProjectRefusal | undefined> {
  const project = projectId === null ? undefined : await directory.project(projectId)
  if (project === undefined) return undefined
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
