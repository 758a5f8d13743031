import { ApiError } from '@signet/admin-api/api-error'
import type { ManagementCall } from '../management/management-call.ts'
import type { ManagementServices } from '../management/management-services.ts'
import type { Account } from './account.ts'
import { requireAccount, unknownAccount } from './require-account.ts'

interface Target {
  readonly userId: string
}

/**
 * Deletes an account with its rows. When it resolves, all its sessions and tokens are revoked, also for a
 * later account with the same id. A repeated call publishes the endings again while the retired epoch is
 * stored.
 */
export function deleteAccount(call: ManagementCall, { userId }: Target): Promise<void> {
  return call.change(async ({ accounts }) => {
    const epochs = await accounts.delete(userId)
    if (epochs.length === 0) throw unknownAccount()
    return { result: undefined, epochs }
  })
}

/** When it resolves, all sessions and tokens of the account are revoked; it may sign in again. */
export function signOutEverywhere(call: ManagementCall, { userId }: Target): Promise<void> {
  return call.change(async ({ accounts }) => {
    const epochs = await accounts.raiseEpoch(userId)
    if (epochs.length === 0) throw unknownAccount()
    return { result: undefined, epochs }
  })
}

/**
 * Lets a locked account sign in again at once: earlier failed attempts no longer delay it. An active account
 * stays active.
 */
export async function unlockAccount(
  call: ManagementCall,
  { userId }: Target,
  { now, forgetFailures }: Pick<ManagementServices, 'now' | 'forgetFailures'>,
): Promise<Account> {
  const unlocked = await call.change<Account>(async ({ accounts }) => {
    const account = await requireAccount(accounts, userId)
    if (account.state === 'active') return { result: account }
    if (account.state === 'inactive') {
      throw new ApiError(
        'FAILED_PRECONDITION',
        'the user is not locked but inactive; set the state to active',
        { reason: 'user_inactive' },
      )
    }
    const epochs = await accounts.update(account, { state: 'active' }, now())
    return { result: await requireAccount(accounts, userId), epochs }
  })
  await forgetFailures(userId)
  return unlocked
}
