import { callEvent, type ManagementCall } from '../audit/audit-event.ts'
import type { PublishEpochs } from '../epochs/epoch.ts'
import type { AccountState, AccountStore } from '../stores/account-store.ts'
import { foundAccount, requireAccount } from './require-account.ts'

interface Dependencies {
  readonly accounts: AccountStore
  readonly publishEpochs: PublishEpochs
}

/**
 * Puts an account into a state; `active` also unlocks it. When it resolves, nothing is active that was made before the
 * account stopped being so. Repeating it publishes again.
 */
export function setAccountState({ accounts, publishEpochs }: Dependencies) {
  return async (call: ManagementCall, state: AccountState): Promise<void> => {
    const { id: userId } = call.target
    const { organizationId } = await requireAccount(accounts, call.caller, userId)
    const event = callEvent(call, { result: 'success', organizationId, details: { state } })
    await publishEpochs(foundAccount(await accounts.setState(userId, state, event)))
  }
}
