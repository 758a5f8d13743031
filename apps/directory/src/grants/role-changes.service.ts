import { ApiError } from '@signet/admin-api/api-error'
import type { ManagementCall, Tools } from '../api/management-call.ts'
import type { UserGrant } from './user-grant.repository.ts'
import { addUserGrant, type GrantStores, requireRoleKeys } from './user-grants.service.ts'

interface RoleChange {
  readonly projectId: string
  readonly userId: string
  readonly roles: readonly string[]
}

interface RolesAfter {
  readonly projectId: string
  readonly userId: string
  /** All roles that the user has in the project now. */
  readonly roles: readonly string[]
  readonly userGrantId?: string | undefined
}

/** Gives a user more roles in a project, keeping those that the user has. The lock on the project, the target, orders the calls. */
export function addRoles(
  call: ManagementCall<GrantStores>,
  change: RoleChange,
  { now, newId }: Pick<Tools, 'now' | 'newId'>,
): Promise<RolesAfter> {
  return call.change(async (stores) => {
    if ((await stores.userGrants.findOfUser(change)) === undefined) {
      await addUserGrant(call, stores, { id: newId(), ...change }, now())
    } else {
      await requireRoleKeys(stores, change.projectId, change.roles)
      await stores.userGrants.addRoles(change, change.roles)
    }
    return after(change, await stores.userGrants.findOfUser(change))
  })
}

/** Takes roles of a user in a project; without roles left, the grant is deleted. */
export function removeRoles(call: ManagementCall<GrantStores>, change: RoleChange): Promise<RolesAfter> {
  return call.change(async (stores) => {
    const found = await stores.userGrants.findOfUser(change)
    const missing = change.roles.filter((role) => !found?.roles.includes(role))
    if (found === undefined || missing.length > 0) {
      const has = found === undefined ? 'no role' : found.roles.join(', ')
      throw new ApiError('NOT_FOUND', `the user has ${has} in the project, and not ${missing.join(', ')}`, {
        reason: 'user_role_unknown',
      })
    }
    await stores.userGrants.removeRoles(change, change.roles)
    const left = await stores.userGrants.findOfUser(change)
    if (left?.roles.length === 0) await stores.userGrants.delete(change.projectId, left.id)
    return after(change, left)
  })
}

function after({ projectId, userId }: RoleChange, grant: UserGrant | undefined) {
  const { id, roles = [] } = grant ?? {}
  return {
    result: { projectId, userId, roles, ...(roles.length > 0 && { userGrantId: id }) },
    details: { user_id: userId, roles },
  }
}
