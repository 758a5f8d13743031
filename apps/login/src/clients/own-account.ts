// Reads of the directory for the account pages.
import type { DirectoryReader } from '@signet/directory-reader/directory-reader'
import type { FindAccountDetails } from '../account/own-accounts.service.ts'
import { queryStore } from '../dependency.ts'

export function accountDetails(directory: DirectoryReader): FindAccountDetails {
  return async (userId) => {
    const account = await queryStore('postgres', () => directory.account(userId))
    if (account === undefined) return undefined
    const { name, loginName, email, emailVerified } = account
    return { name, loginName, email: email ?? undefined, emailVerified }
  }
}
