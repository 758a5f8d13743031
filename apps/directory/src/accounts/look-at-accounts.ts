import type { ManagementCall } from '../management/management-call.ts'
import type { ManagementServices } from '../management/management-services.ts'
import type { Page, PageRequest } from '../management/page.ts'
import type { AccountFilter } from './account.repository.ts'
import type { Account } from './account.ts'
import { requireAccount } from './require-account.ts'

type Stores = Pick<ManagementServices, 'stores'>

export function listAccounts(
  _call: ManagementCall,
  { limit, cursor, ...filter }: AccountFilter & PageRequest,
  { stores }: Stores,
): Promise<Page<Account>> {
  return stores.accounts.list(filter, { limit, cursor })
}

export function readAccount(
  _call: ManagementCall,
  { userId }: { readonly userId: string },
  { stores }: Stores,
): Promise<Account> {
  return requireAccount(stores.accounts, userId)
}
