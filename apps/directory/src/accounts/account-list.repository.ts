import type { Queryable } from '@signet/platform/postgres/pool'
import { readPage } from '../database/row-statement.ts'
import type { SeenObjects } from '../permissions/seen-objects.ts'
import type { Page, PageRequest } from '../schema/paging.ts'
import type { Account } from './account.ts'
import { ACCOUNT_SELECT, type AccountRow, toAccount } from './account-columns.ts'
import { type AccountFilter, filteredAccounts } from './account-filter.repository.ts'
import { type SearchBounds, searchAccounts } from './account-search.repository.ts'

interface ListBounds {
  /** The organizations that the caller may see; all without it. */
  readonly seen?: SeenObjects | undefined
  readonly bounds?: SearchBounds | undefined
}

/** A page of a search may be short, or empty, although there are more. */
export async function listAccounts(
  database: Queryable,
  filter: AccountFilter,
  request: PageRequest,
  { seen, bounds }: ListBounds = {},
): Promise<Page<Account>> {
  const { search } = filter
  if (search !== undefined) return searchAccounts(database, { ...filter, search }, request, { seen, bounds })
  const page = await readPage<AccountRow>(database, {
    // account_organization or the primary key; account_not_active, account_service_user; account_user_name, account_email;
    // passkey_of_user, mail_delivery_user
    ...{ name: 'account.list', select: ACCOUNT_SELECT },
    ...filteredAccounts(filter, request, seen),
  })
  return { items: page.items.map(toAccount), nextCursor: page.nextCursor }
}
