import { requireRole } from '@signet/admin-api/require-role'
import type { ManagementCall } from '../management/management-call.ts'
import type { ManagementStores } from '../management/management-stores.ts'
import { managesInstance } from '../permissions/sufficient-roles.ts'
import type { Administered } from './member.ts'

/**
 * Managers of an organization give roles to its own users; giving them to others, and learning whether they
 * exist, needs IAM_OWNER. Users of an organization that has accepted a grant of the project are allowed too.
 */
export async function requireUserInReach(
  call: ManagementCall,
  { places, projectGrants }: Pick<ManagementStores, 'places' | 'projectGrants'>,
  where: Administered,
  userId: string,
): Promise<{ readonly isForeign: boolean }> {
  if (where.level === 'instance') return { isForeign: false }
  const home = (await places.find('user', userId))?.organizationId
  const owner = (await places.find(where.level, where.id))?.organizationId
  if (home !== undefined && home === owner) return { isForeign: false }
  const isGranted =
    where.level === 'project' && home !== undefined && (await projectGrants.isAccepted(where.id, home))
  if (!isGranted) requireRole(call.caller, managesInstance())
  return { isForeign: true }
}
