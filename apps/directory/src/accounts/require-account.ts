import type { Caller } from '@signet/bearer-authentication/caller'
import { requireRole } from '@signet/bearer-authentication/require-role'
import { ApiError } from '@signet/http-server/api-error'
import { managesAccounts } from '../permissions/sufficient-roles.ts'
import type { AccountStore, AccountSummary } from '../stores/account-store.ts'

/** The account, if the caller manages it; otherwise throws ApiError PERMISSION_DENIED or NOT_FOUND. */
export async function requireAccount(
  accounts: AccountStore,
  caller: Caller,
  userId: string,
): Promise<AccountSummary> {
  const account = await accounts.find(userId)
  requireRole(caller, managesAccounts(account?.organizationId))
  return account ?? missing()
}

/** What a change of an account answered, unless the account went away in between. */
export function foundAccount<T>(result: T | undefined): T {
  return result ?? missing()
}

function missing(): never {
  throw new ApiError('NOT_FOUND', 'there is no user with this id', { reason: 'user_unknown' })
}
