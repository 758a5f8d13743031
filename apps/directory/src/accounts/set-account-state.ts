import type { Caller } from '@signet/bearer-authentication/caller'
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
  return async (caller: Caller, userId: string, state: AccountState): Promise<void> => {
    await requireAccount(accounts, caller, userId)
    await publishEpochs(foundAccount(await accounts.setState(userId, state)))
  }
}
