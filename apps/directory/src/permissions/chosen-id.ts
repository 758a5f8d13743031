import { ApiError } from '@signet/admin-api/api-error'
import type { Caller } from '@signet/admin-api/caller'
import { holdsRole } from '@signet/admin-api/require-role'

const IAM_OWNER = { role: 'IAM_OWNER' } as const

export function mayChooseIds(caller: Caller): boolean {
  return holdsRole(caller, IAM_OWNER)
}

/**
 * Throws ApiError PERMISSION_DENIED unless the caller is an IAM_OWNER: ids are unique in the instance, so one that a
 * caller chooses tells whether another organization has it, and stands in tokens as `sub` or `aud`.
 */
export function requireMayChooseIds(caller: Caller, field: string): void {
  if (mayChooseIds(caller)) return
  throw new ApiError(
    'PERMISSION_DENIED',
    `needs role IAM_OWNER: only with it ${field} can be chosen; leave it out and one is generated`,
    { reason: 'role_missing', details: [{ id: 'role_missing', roles: ['IAM_OWNER'] }] },
  )
}
