import { ApiError } from '@signet/admin-api/api-error'
import type { ManagementCall } from '../management/management-call.ts'
import type { ManagementServices } from '../management/management-services.ts'
import type { Account } from './account.ts'
import { requireAccount, unknownAccount } from './require-account.ts'

interface Target {
  readonly userId: string
}

/**
 * Deletes an account with all that it has. When it resolves, every session and token that it had is dead, also for
 * whoever gets its id next. Repeating it publishes again, as long as the id is remembered.
 */
export function deleteAccount(call: ManagementCall, { userId }: Target): Promise<void> {
  return call.change(async ({ accounts }) => {
    const epochs = await accounts.delete(userId)
    if (epochs.length === 0) throw unknownAccount()
    return { result: undefined, epochs }
  })
}

/** When it resolves, every session and token that the account had is dead; it may sign in anew. */
export function signOutEverywhere(call: ManagementCall, { userId }: Target): Promise<void> {
  return call.change(async ({ accounts }) => {
    const epochs = await accounts.raiseEpoch(userId)
    if (epochs.length === 0) throw unknownAccount()
    return { result: undefined, epochs }
  })
}

/**
 * Lets an account that is locked sign in again, at once: what failed before makes nobody wait. One that is active stays
 * so.
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
