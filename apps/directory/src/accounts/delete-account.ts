import { requireRole } from '@signet/bearer-authentication/require-role'
import { ApiError } from '@signet/http-server/api-error'
import { callEvent, type ManagementCall } from '../audit/audit-event.ts'
import type { PublishEpochs } from '../epochs/epoch.ts'
import { managesAccounts } from '../permissions/sufficient-roles.ts'
import type { AccountStore } from '../stores/account-store.ts'

interface Dependencies {
  readonly accounts: AccountStore
  readonly publishEpochs: PublishEpochs
}

/**
 * Deletes an account with all that it has. When it resolves, every session and token that it had is dead, also for
 * whoever gets its id next. Repeating it publishes again, as long as the id is remembered.
 */
export function deleteAccount({ accounts, publishEpochs }: Dependencies) {
  return async (call: ManagementCall): Promise<void> => {
    const { id: userId } = call.target
    const account = (await accounts.find(userId)) ?? (await accounts.findDeleted(userId))
    requireRole(call.caller, managesAccounts(account?.organizationId))
    if (account === undefined) {
      throw new ApiError('NOT_FOUND', 'there is no user with this id', { reason: 'user_unknown' })
    }
    const { organizationId } = account
    const event = callEvent(call, { result: 'success', organizationId })
    await publishEpochs(await accounts.delete(userId, event))
  }
}
