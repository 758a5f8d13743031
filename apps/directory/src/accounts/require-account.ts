import { ApiError } from '@signet/admin-api/api-error'
import type { AccountStore } from './account.repository.ts'
import type { Account, ServiceUser } from './account.ts'

/** Returns the account with this id. Throws ApiError NOT_FOUND. */
export async function requireAccount(accounts: AccountStore, id: string): Promise<Account> {
  const account = await accounts.find(id)
  if (account === undefined) throw unknownAccount()
  return account
}

export function unknownAccount(): ApiError {
  return new ApiError('NOT_FOUND', 'there is no user with this id', { reason: 'user_unknown' })
}

/** Returns the account of a person. Throws ApiError FAILED_PRECONDITION, with `thing` in its text, for a service user. */
export async function requirePerson(accounts: AccountStore, id: string, thing: string): Promise<Account> {
  const account = await requireAccount(accounts, id)
  if (account.kind === 'human') return account
  throw new ApiError('FAILED_PRECONDITION', `a service user has no ${thing}`, { reason: 'user_not_human' })
}

/** Returns the account of a service user. Throws ApiError FAILED_PRECONDITION, with `thing` in its text, for a person. */
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
