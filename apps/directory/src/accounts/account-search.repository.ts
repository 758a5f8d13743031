import type { Queryable } from '@signet/platform/postgres/pool'
import { emailAddressKey } from '@signet/protocol/email-address'
import { userNameKey } from '@signet/protocol/user-name'
import { pageConditions, readPage, statementName } from '../database/row-statement.ts'
import type { SeenObjects } from '../permissions/seen-objects.ts'
import type { Page, PageRequest } from '../schema/paging.ts'
import type { Account } from './account.ts'
import { ACCOUNT_SELECT, type AccountRow, toAccount } from './account-columns.ts'
import { type AccountFilter, filteredAccounts } from './account-filter.repository.ts'

/** How much one call of a search reads, in users. */
export interface SearchBounds {
  /** Looked at first, in the order of their ids: a frequent text fills a page with them. */
  readonly lookedAtFirst: number
  /** Read by the index of fragments, in the order of their rows. */
  readonly candidates: number
  /** Looked at behind the first when neither filled the page. */
  readonly lookedAt: number
}

const BOUNDS: SearchBounds = { lookedAtFirst: 1_000, candidates: 5_000, lookedAt: 100_000 }

/**
 * A page is filled from so many times the users that were looked at first, or fewer, without the candidates of a frequent text, which
 * would be more than their bound. In one organization the candidates are fewer, and the order of ids leads past those of others.
 */
const FREQUENT = 20

/** A query with more organizations costs more than the candidates of others that it leaves out. */
const MOST_ORGANIZATIONS = 100

type Search = AccountFilter & { readonly search: string }

interface Bounded {
  readonly seen: SeenObjects | undefined
  readonly bounds: SearchBounds | undefined
}

/**
 * Users whose user name, display name or address contains a text, in the order of their ids. A page may be short, or empty,
 * although there are more: only where more users than `candidates` may have the text, of whom the next in the order are few.
 */
export async function searchAccounts(
  database: Queryable,
  filter: Search,
  request: PageRequest,
  { seen, bounds = BOUNDS }: Bounded,
): Promise<Page<Account>> {
  const searching = { database, filter, request, seen }
  const page = await findPage(searching, bounds)
  return {
    items: await accountsOf(
      database,
      page.items.map(({ id }) => id),
    ),
    nextCursor: page.nextCursor,
  }
}

interface Searching {
  readonly database: Queryable
  readonly filter: Search
  readonly request: PageRequest
  readonly seen: SeenObjects | undefined
}

interface Found {
  readonly id: string
}

async function findPage(searching: Searching, bounds: SearchBounds): Promise<Page<Found>> {
  const { filter, request } = searching
  // Few have them, and account_user_name and account_email find these.
  if (filter.userName !== undefined || filter.email !== undefined) return lookAt(searching)
  const first = await lookAt(searching, bounds.lookedAtFirst)
  const { items, nextCursor } = first
  if (items.length === request.limit || nextCursor === undefined) return first
  const isFrequent = items.length * FREQUENT >= request.limit && organizationsOf(searching) === undefined
  const found = isFrequent ? undefined : await findCandidates(searching, bounds.candidates)
  if (found !== undefined) return found
  const rest = { cursor: nextCursor, limit: request.limit - items.length }
  const more = await lookAt({ ...searching, request: rest }, bounds.lookedAt)
  return { items: [...items, ...more.items], nextCursor: more.nextCursor }
}

/** The text as each of the columns has it; PostgreSQL lowers the second. */
const textsOf = (search: string) =>
  [userNameKey(search), search.normalize('NFC').trim(), emailAddressKey(search)] as const

const containsText = (search: string) => ({
  text: (name: string, shown: string, address: string) =>
    `(strpos(a.user_name_key, ${name}) > 0 OR strpos(lower(a.display_name), lower(${shown})) > 0
      OR strpos(a.email_key, ${address}) > 0)`,
  values: textsOf(search),
})

const SEARCHED_COLUMNS =
  'a.user_id, a.organization_id, a.kind, a.state, a.user_name_key, a.display_name, a.email_key'

/** PostgreSQL leaves the passwords out where no condition asks for them. */
const SEARCH_FROM = 'LEFT JOIN directory.account_password p USING (user_id)'

/** Looks at a number of users behind the cursor, or at all, in the order of their ids. */
async function lookAt({ database, filter, request, seen }: Searching, users?: number): Promise<Page<Found>> {
  const last =
    users === undefined ? undefined : await lastLookedAt(database, { filter, request, seen }, users)
  const query = filteredAccounts(filter, request, seen)
  const found = await readPage<Found>(database, {
    // account_search without the rows, of which each would be on another page of the table
    ...{ name: 'account.search', select: `SELECT a.user_id AS id FROM directory.account a ${SEARCH_FROM}` },
    ...query,
    conditions: {
      ...query.conditions,
      search: containsText(filter.search),
      searched: {
        text: (place) => `a.user_id <= ${place}`,
        values: last === undefined ? undefined : [last],
      },
    },
  })
  return { items: found.items, nextCursor: found.nextCursor ?? last }
}

/** The page, or undefined when more users than `most` may have the text. */
async function findCandidates(
  { database, filter, request, seen }: Searching,
  most: number,
): Promise<Page<Found> | undefined> {
  const texts = textsOf(filter.search)
  // Every user has an empty text.
  if (texts.includes('')) return undefined
  const organizationIds = organizationsOf({ filter, seen })
  const bounded = organizationIds === undefined || organizationIds.length <= MOST_ORGANIZATIONS
  const values: unknown[] = [
    request.limit + 1,
    most + 1,
    ...texts,
    bounded ? (organizationIds ?? null) : null,
  ]
  const query = filteredAccounts(filter, request, seen)
  const conditions = pageConditions(
    { ...query, conditions: { ...query.conditions, search: containsText(filter.search) } },
    values,
  )
  const { rows } = await database.query<{ candidates: number; ids: readonly string[] }>({
    name: statementName('account.candidates', conditions.labels),
    // account_fragments. Materialized: otherwise the conditions are part of the limited query, which then reads on for their sake.
    text: `WITH candidate AS MATERIALIZED (
             SELECT ${SEARCHED_COLUMNS} FROM directory.account a
              WHERE directory.account_fragments(a.organization_id, a.user_name_key, a.display_name, a.email_key)
                    @@ directory.search_query(ARRAY[$3, lower($4), $5], $6::text[])
              LIMIT $2)
           SELECT (SELECT count(*) FROM candidate) AS candidates,
                  ARRAY(SELECT a.user_id::text FROM candidate a ${SEARCH_FROM}
                         WHERE ${conditions.text} ORDER BY a.user_id LIMIT $1) AS ids`,
    values,
  })
  const { candidates = 0, ids = [] } = rows[0] ?? {}
  if (candidates > most) return undefined
  const items = ids.slice(0, request.limit).map((id) => ({ id }))
  return { items, nextCursor: ids.length > request.limit ? items.at(-1)?.id : undefined }
}

/** The organizations of which a search finds users; undefined: all. */
const organizationsOf = ({ filter, seen }: Pick<Searching, 'filter' | 'seen'>) =>
  filter.organizationId === undefined ? seen?.organizationIds : [filter.organizationId]

/** The id of the last of a number of users behind the cursor; undefined: no more are left. */
async function lastLookedAt(
  database: Queryable,
  { filter, request, seen }: Omit<Searching, 'database'>,
  users: number,
): Promise<string | undefined> {
  const organizationIds = organizationsOf({ filter, seen })
  const isOne = organizationIds?.length === 1
  const within = isOne ? 'organization_id = $3' : 'organization_id = ANY ($3::text[])'
  const { rows } = await database.query<Found>({
    // account_organization or account_search, without the rows
    name: `account.last_searched.${organizationIds === undefined ? 'all' : isOne ? 'one' : 'some'}`,
    text: `SELECT user_id AS id FROM directory.account
            WHERE user_id > $1 ${organizationIds === undefined ? '' : `AND ${within}`}
            ORDER BY user_id OFFSET $2 LIMIT 1`,
    values: [
      request.cursor ?? '',
      users - 1,
      ...(organizationIds === undefined ? [] : [isOne ? organizationIds[0] : organizationIds]),
    ],
  })
  return rows[0]?.id
}

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
