import type { Queryable } from '@signet/platform/postgres/pool'
import { emailAddressKey } from '@signet/protocol/email-address'
import { userNameKey } from '@signet/protocol/user-name'
import { readPage, seenCondition } from '../database/row-statement.ts'
import type { SeenObjects } from '../permissions/seen-objects.ts'
import type { Page, PageRequest } from '../schema/paging.ts'
import type { Account, AccountState } from './account.ts'
import { ACCOUNT_SELECT, type AccountRow, toAccount } from './account-columns.ts'

export interface AccountFilter {
  readonly organizationId?: string | undefined
  readonly kind?: Account['kind'] | undefined
  readonly state?: AccountState | undefined
  readonly userName?: string | undefined
  readonly email?: string | undefined
  readonly hasCredentials?: 'true' | 'false' | undefined
  readonly hasSecondFactor?: 'true' | 'false' | undefined
  readonly notInvitedSince?: Date | undefined
  /** Part of the user name, the display name or the address, in any case. */
  readonly search?: string | undefined
}

/**
 * Users that one call of a search looks at, in the order of their ids. No index finds a part of a text, so this bounds the time
 * of a call: a tenth of a second on two busy cores, by an index that has the texts.
 */
const SEARCHED_AT_ONCE = 100_000

/**
 * SQL: whether the account `a`, with its row `p` of passwords or none, has a password or a passkey that signs in. A second factor alone
 * is no way in.
 */
export const HAS_CREDENTIALS = `(p.user_id IS NOT NULL OR EXISTS (
  SELECT FROM directory.passkey k WHERE k.user_id = a.user_id AND k.cloned_at IS NULL))`

/** SQL: whether the account `a` has an authenticator app or a passkey that was not copied. */
const HAS_SECOND_FACTOR = `(EXISTS (SELECT FROM directory.account_totp t WHERE t.user_id = a.user_id)
  OR EXISTS (SELECT FROM directory.passkey k WHERE k.user_id = a.user_id AND k.cloned_at IS NULL))`

/** SQL: whether no invitation was sent since `time`, nor one waits; one that was given up does not count. */
const wasNotInvitedSince = (time: string) => `NOT EXISTS (
  SELECT FROM directory.mail_delivery d
   WHERE d.user_id = a.user_id AND d.created_at >= ${time} AND d.kind = 'invitation'
     AND d.outcome IS DISTINCT FROM 'given_up')`

/** Words of the code, and never of a caller, in the text of a statement. */
const KINDS = { human: 'human', service_user: 'service_user' } as const satisfies Record<
  Account['kind'],
  string
>
const STATES = { active: 'active', inactive: 'inactive', locked: 'locked' } as const satisfies Record<
  AccountState,
  string
>

interface ListBounds {
  /** The organizations that the caller may see; all without it. */
  readonly seen?: SeenObjects | undefined
  readonly searchedAtOnce?: number | undefined
}

/** A page may be short, or empty, although there are more: a search looks at a part of the users in one call. */
export async function listAccounts(
  database: Queryable,
  filter: AccountFilter,
  request: PageRequest,
  { seen, searchedAtOnce = SEARCHED_AT_ONCE }: ListBounds = {},
): Promise<Page<Account>> {
  const { organizationId, userName, email, search } = filter
  const query = {
    key: 'a.user_id',
    keyMember: 'id',
    filters: {
      'a.organization_id': organizationId,
      'a.user_name_key': userName && userNameKey(userName),
      'a.email_key': email && emailAddressKey(email),
    },
    request,
  }
  const conditions = conditionsOf(filter, seen)
  if (search === undefined) {
    const page = await readPage<AccountRow>(database, {
      // account_organization or the primary key; account_not_active, account_service_user; account_user_name; passkey_of_user,
      // mail_delivery_user
      ...{ name: 'account.list', select: ACCOUNT_SELECT, conditions },
      ...query,
    })
    return { items: page.items.map(toAccount), nextCursor: page.nextCursor }
  }
  const organizationIds = organizationId === undefined ? seen?.organizationIds : [organizationId]
  const last = await lastSearched(database, organizationIds, { cursor: request.cursor, searchedAtOnce })
  const found = await readPage<{ readonly id: string }>(database, {
    // account_search without the rows, of which each would be on another page of the table
    ...{ name: 'account.search', select: SEARCH_SELECT },
    conditions: {
      ...conditions,
      search: {
        text: (name, shown, address) =>
          `(strpos(a.user_name_key, ${name}) > 0 OR strpos(lower(a.display_name), lower(${shown})) > 0
            OR strpos(a.email_key, ${address}) > 0)`,
        values: [userNameKey(search), search.normalize('NFC').trim(), emailAddressKey(search)],
      },
      searched: {
        text: (place) => `a.user_id <= ${place}`,
        values: last === undefined ? undefined : [last],
      },
    },
    ...query,
  })
  return {
    items: await accountsOf(
      database,
      found.items.map(({ id }) => id),
    ),
    nextCursor: found.nextCursor ?? last,
  }
}

function conditionsOf(
  { kind, state, hasCredentials, hasSecondFactor, notInvitedSince }: AccountFilter,
  seen: SeenObjects | undefined,
) {
  return {
    // Written out: the indexes account_not_active and account_service_user know only the values of their own.
    ...(kind && { [`kind_${kind}`]: { text: () => `a.kind = '${KINDS[kind]}'`, values: [] } }),
    ...(state && { [`state_${state}`]: { text: () => `a.state = '${STATES[state]}'`, values: [] } }),
    has_credentials: {
      text: (place: string) => `a.kind = 'human' AND ${HAS_CREDENTIALS} = ${place}::boolean`,
      values: hasCredentials && [hasCredentials],
    },
    has_second_factor: {
      text: (place: string) => `a.kind = 'human' AND ${HAS_SECOND_FACTOR} = ${place}::boolean`,
      values: hasSecondFactor && [hasSecondFactor],
    },
    not_invited_since: {
      text: (place: string) => `a.kind = 'human' AND ${wasNotInvitedSince(place)}`,
      values: notInvitedSince && [notInvitedSince],
    },
    seen: seenCondition(seen, { organization: 'a.organization_id' }),
  }
}

/** PostgreSQL leaves the passwords out where no condition asks for them. */
const SEARCH_SELECT = `SELECT a.user_id AS id FROM directory.account a
  LEFT JOIN directory.account_password p USING (user_id)`

/** The accounts of some ids, in the order of the ids. */
async function accountsOf(database: Queryable, ids: readonly string[]): Promise<readonly Account[]> {
  if (ids.length === 0) return []
  const { rows } = await database.query<AccountRow>({
    // the primary key
    name: 'account.found',
    text: `${ACCOUNT_SELECT} WHERE a.user_id = ANY ($1::text[]) ORDER BY a.user_id`,
    values: [ids],
  })
  return rows.map(toAccount)
}

/** The id of the last user that a search from the cursor on looks at; undefined: it looks at all that are left. */
async function lastSearched(
  database: Queryable,
  organizationIds: readonly string[] | undefined,
  { cursor, searchedAtOnce }: { readonly cursor: string | undefined; readonly searchedAtOnce: number },
): Promise<string | undefined> {
  const isOne = organizationIds?.length === 1
  const within = isOne ? 'organization_id = $3' : 'organization_id = ANY ($3::text[])'
  const { rows } = await database.query<{ id: string }>({
    // account_organization or account_search, without the rows
    name: `account.last_searched.${organizationIds === undefined ? 'all' : isOne ? 'one' : 'some'}`,
    text: `SELECT user_id AS id FROM directory.account
            WHERE user_id > $1 ${organizationIds === undefined ? '' : `AND ${within}`}
            ORDER BY user_id OFFSET $2 LIMIT 1`,
    values: [
      cursor ?? '',
      searchedAtOnce - 1,
      ...(organizationIds === undefined ? [] : [isOne ? organizationIds[0] : organizationIds]),
    ],
  })
  return rows[0]?.id
}
