import type { DirectoryReader } from '@signet/directory-reader/directory-reader'
import type { Account } from '@signet/directory-reader/views'
import type { Claims } from './claims-of-scopes.ts'
import { type RoleRequest, reservedClaims, roleClaims, wantsRoles } from './reserved-claims.ts'

export interface OrganizationClaimsRequest extends Omit<RoleRequest, 'grants'> {
  readonly account: Account
}

/** Everything that reserved scopes and role assertion reveal: metadata, organization, roles. */
export async function organizationClaims(
  directory: Pick<DirectoryReader, 'userGrants'>,
  request: OrganizationClaimsRequest,
): Promise<Claims> {
  const claims = reservedClaims(request.account, request.scopes)
  if (!request.assertRoles && !wantsRoles(request.scopes)) return claims
  const grants = await directory.userGrants(request.account.userId)
  return { ...claims, ...roleClaims({ ...request, grants }) }
}

/** Whether a project wants its roles shown to its applications without being asked. */
export async function projectAssertsRoles(
  directory: Pick<DirectoryReader, 'project'>,
  projectId: string | null,
): Promise<boolean> {
  return projectId !== null && ((await directory.project(projectId))?.projectRoleAssertion ?? false)
}
