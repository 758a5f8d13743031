import type { Caller } from '@signet/bearer-authentication/caller'
import { requireRole } from '@signet/bearer-authentication/require-role'
import { ApiError } from '@signet/http-server/api-error'
import { invalidFields } from '@signet/http-server/invalid-fields'
import { BusyError, type PasswordHasher } from '@signet/password-hash/password-hasher'
import type { Clock } from '@signet/service-runtime/clock'
import { DependencyUnavailableError } from '@signet/service-runtime/dependency-unavailable'
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
  return async (caller: Caller, userId: string, password: string): Promise<void> => {
    const { organizationId, kind } = await requireAccount(accounts, caller, userId)
    requireRole(caller, impersonatesAccount(organizationId, await accounts.authorityOf(userId)))
    if (kind !== 'human') {
      throw new ApiError('FAILED_PRECONDITION', 'a service user has no password', {
        reason: 'user_not_human',
      })
    }
    const complexity = await accounts.passwordComplexity(organizationId)
    const problems = chosenPasswordProblems(password, complexity, frequentPasswords)
    if (problems.length > 0) throw invalidFields(problems.map(({ rule }) => ({ field: 'password', rule })))
    const hash = await hashed(hasher, password)
    await publishEpochs(foundAccount(await accounts.setPassword(userId, hash, now())))
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
