import { requireRole } from '@signet/admin-api/require-role'
import type { ManagementCall } from '../management/management-call.ts'
import type { ManagementStores } from '../management/management-stores.ts'
import { managesInstance } from '../permissions/sufficient-roles.ts'
import type { Administered } from './member.ts'

/**
 * Whoever manages an organization gives rights to its own people; giving them to others, and learning whether they
 * exist, is for IAM_OWNER. People of an organization that has accepted a grant of the project are within reach too.
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
