import { ApiError } from '@signet/admin-api/api-error'
import type { AccountStore } from './account.repository.ts'
import type { Account, ServiceUser } from './account.ts'

/** The account with this id, or ApiError NOT_FOUND. */
export async function requireAccount(accounts: AccountStore, id: string): Promise<Account> {
  const account = await accounts.find(id)
  if (account === undefined) throw unknownAccount()
  return account
}

export function unknownAccount(): ApiError {
  return new ApiError('NOT_FOUND', 'there is no user with this id', { reason: 'user_unknown' })
}

/** The account, if it has a person behind it; otherwise ApiError FAILED_PRECONDITION saying what only people have. */
export async function requirePerson(accounts: AccountStore, id: string, thing: string): Promise<Account> {
  const account = await requireAccount(accounts, id)
  if (account.kind === 'human') return account
  throw new ApiError('FAILED_PRECONDITION', `a service user has no ${thing}`, { reason: 'user_not_human' })
}

/** The account, if it is a service user; otherwise ApiError FAILED_PRECONDITION saying what only those have. */
export async function requireServiceUser(
  accounts: AccountStore,
  id: string,
  thing: string,
): Promise<ServiceUser> {
  const account = await requireAccount(accounts, id)
  if (account.kind === 'service_user') return account
  throw new ApiError('FAILED_PRECONDITION', `only a service user has a ${thing}`, {
    reason: 'user_not_service_user',
  })
}
