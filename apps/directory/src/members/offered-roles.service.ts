import { ApiError } from '@signet/admin-api/api-error'
import { requireAccount, requireServiceUser } from '../accounts/require-account.ts'
import type { ManagementCall } from '../management/management-call.ts'
import type { ManagementServices } from '../management/management-services.ts'
import type { Page } from '../management/page.ts'
import type { AnswerToOffer, OfferedRoles } from './offered-role.repository.ts'

/** Lists the roles in other organizations that an account was given and that nothing has accepted yet. */
export async function listOfferedRoles(
  _call: ManagementCall,
  { userId }: { readonly userId: string },
  { stores }: Pick<ManagementServices, 'stores'>,
): Promise<Page<OfferedRoles>> {
  await requireAccount(stores.accounts, userId)
  return { items: await stores.offeredRoles.list(userId) }
}

/**
 * Accepts or refuses such roles for a service user; a person does it at the next sign-in. Roles that are accepted count
 * from the next call on, roles that are refused are taken away.
 */
export function answerOfferedRoles(
  call: ManagementCall,
  { userId, ...answer }: Omit<AnswerToOffer, 'userId'> & { readonly userId: string },
): Promise<void> {
  return call.change(async ({ accounts, offeredRoles }) => {
    await requireServiceUser(accounts, userId, 'role that others accept')
    const roles = await offeredRoles.answer({ ...answer, userId })
    if (roles.length > 0) return { result: undefined, details: { roles } }
    throw new ApiError('NOT_FOUND', 'the service user was offered none of these roles here', {
      reason: 'offered_role_unknown',
    })
  })
}
