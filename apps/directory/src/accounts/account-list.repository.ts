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
 * of a call: half a second on two busy cores.
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

interface ListBounds {
  /** The organizations that the caller may see; all without it. */
  readonly seen?: SeenObjects | undefined
  readonly searchedAtOnce?: number | undefined
}

/** A page may be short, or empty, although there are more: a search looks at a part of the users in one call. */
export async function listAccounts(
  database: Queryable,
  {
    organizationId,
    kind,
    state,
    userName,
    email,
    hasCredentials,
    hasSecondFactor,
    notInvitedSince,
    search,
  }: AccountFilter,
  request: PageRequest,
  { seen, searchedAtOnce = SEARCHED_AT_ONCE }: ListBounds = {},
): Promise<Page<Account>> {
  const organizationIds = organizationId === undefined ? seen?.organizationIds : [organizationId]
  const last =
    search === undefined
      ? undefined
      : await lastSearched(database, organizationIds, { cursor: request.cursor, searchedAtOnce })
  const page = await readPage<AccountRow>(database, {
    // account_organization or the primary key; account_user_name; passkey_of_user, mail_delivery_user
    name: 'account.list',
    select: ACCOUNT_SELECT,
    key: 'a.user_id',
    keyMember: 'id',
    filters: {
      'a.organization_id': organizationId,
      'a.kind': kind,
      'a.state': state,
      'a.user_name_key': userName && userNameKey(userName),
      'a.email_key': email && emailAddressKey(email),
    },
    conditions: {
      has_credentials: {
        text: (place) => `a.kind = 'human' AND ${HAS_CREDENTIALS} = ${place}::boolean`,
        values: hasCredentials && [hasCredentials],
      },
      has_second_factor: {
        text: (place) => `a.kind = 'human' AND ${HAS_SECOND_FACTOR} = ${place}::boolean`,
        values: hasSecondFactor && [hasSecondFactor],
      },
      not_invited_since: {
        text: (place) => `a.kind = 'human' AND ${wasNotInvitedSince(place)}`,
        values: notInvitedSince && [notInvitedSince],
      },
      seen: seenCondition(seen, { organization: 'a.organization_id' }),
      search: {
        text: (name, shown, address) =>
          `(strpos(a.user_name_key, ${name}) > 0 OR strpos(lower(a.display_name), lower(${shown})) > 0
            OR strpos(a.email_key, ${address}) > 0)`,
        values:
          search === undefined
            ? undefined
            : [userNameKey(search), search.normalize('NFC').trim(), emailAddressKey(search)],
      },
      searched: {
        text: (place) => `a.user_id <= ${place}`,
        values: last === undefined ? undefined : [last],
      },
    },
    request,
  })
  return { items: page.items.map(toAccount), nextCursor: page.nextCursor ?? last }
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
    // account_organization or the primary key, without the rows
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
