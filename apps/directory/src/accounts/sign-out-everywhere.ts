import { callEvent, type ManagementCall } from '../audit/audit-event.ts'
import type { PublishEpochs } from '../epochs/epoch.ts'
import type { AccountStore } from '../stores/account-store.ts'
import { foundAccount, requireAccount } from './require-account.ts'

interface Dependencies {
  readonly accounts: AccountStore
  readonly publishEpochs: PublishEpochs
}

/** When it resolves, every session and token that the account had is dead; it may sign in anew. */
export function signOutEverywhere({ accounts, publishEpochs }: Dependencies) {
  return async (call: ManagementCall): Promise<void> => {
    const { id: userId } = call.target
    const { organizationId } = await requireAccount(accounts, call.caller, userId)
    const event = callEvent(call, { result: 'success', organizationId })
    await publishEpochs(foundAccount(await accounts.raiseEpoch(userId, event)))
  }
}
