import { requireRole } from '@signet/bearer-authentication/require-role'
import { ApiError } from '@signet/http-server/api-error'
import { invalidFields } from '@signet/http-server/invalid-fields'
import { BusyError, type PasswordHasher } from '@signet/password-hash/password-hasher'
import type { Clock } from '@signet/service-runtime/clock'
import { DependencyUnavailableError } from '@signet/service-runtime/dependency-unavailable'
import { callEvent, type ManagementCall } from '../audit/audit-event.ts'
import { chosenPasswordProblems } from '../credentials/password-policy.ts'
import type { PublishEpochs } from '../epochs/epoch.ts'
import { impersonatesAccount } from '../permissions/sufficient-roles.ts'
import type { AccountStore } from '../stores/account-store.ts'
import { foundAccount, requireAccount } from './require-account.ts'

interface Dependencies {
  readonly accounts: AccountStore
  readonly hasher: PasswordHasher
  readonly frequentPasswords: ReadonlySet<string>
  readonly publishEpochs: PublishEpochs
  readonly now: Clock
}

/**
 * Gives a person another password. When it resolves, every session and token that they had is dead. Rejects with
 * ApiError INVALID_ARGUMENT for a password that the organization's policy forbids.
 */
export function resetPassword({ accounts, hasher, frequentPasswords, publishEpochs, now }: Dependencies) {
  return async (call: ManagementCall, password: string): Promise<void> => {
    const { id: userId } = call.target
    const { organizationId, kind } = await requireAccount(accounts, call.caller, userId)
    requireRole(call.caller, impersonatesAccount(organizationId, await accounts.authorityOf(userId)))
    if (kind !== 'human') {
      throw new ApiError('FAILED_PRECONDITION', 'a service user has no password', {
        reason: 'user_not_human',
      })
    }
    const complexity = await accounts.passwordComplexity(organizationId)
    const problems = chosenPasswordProblems(password, complexity, frequentPasswords)
    if (problems.length > 0) throw invalidFields(problems.map(({ rule }) => ({ field: 'password', rule })))
    const hash = await hashed(hasher, password)
    const event = callEvent(call, { result: 'success', organizationId })
    await publishEpochs(foundAccount(await accounts.setPassword(userId, { hash, changedAt: now() }, event)))
  }
}

async function hashed(hasher: PasswordHasher, password: string): Promise<string> {
  try {
    return await hasher.hashPassword(password)
  } catch (error) {
    if (error instanceof BusyError) throw new DependencyUnavailableError('password_hashing', error)
    throw error
  }
}
