import type { Caller } from '@signet/bearer-authentication/caller'
import type { PublishEpochs } from '../epochs/epoch.ts'
import type { AccountStore } from '../stores/account-store.ts'
import { foundAccount, requireAccount } from './require-account.ts'

interface Dependencies {
  readonly accounts: AccountStore
  readonly publishEpochs: PublishEpochs
}

/** When it resolves, every session and token that the account had is dead; it may sign in anew. */
export function signOutEverywhere({ accounts, publishEpochs }: Dependencies) {
  return async (caller: Caller, userId: string): Promise<void> => {
    await requireAccount(accounts, caller, userId)
    await publishEpochs(foundAccount(await accounts.raiseEpoch(userId)))
  }
}
