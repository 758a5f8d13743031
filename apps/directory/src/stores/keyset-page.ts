import type { Queryable } from '@signet/platform/postgres/pool'
import type { Page, PageRequest } from '../management/paging.ts'

interface PageQuery {
  readonly name: string
  /** Up to WHERE. */
  readonly select: string
  /** The unique column that orders the list, and the member of an item that holds it. */
  readonly key: string
  readonly keyMember: string
  /** Columns and the values that they must have; those without a value do not count. */
  readonly filters: Readonly<Record<string, string | undefined>>
  readonly request: PageRequest
}

/** One part of a list. It goes on behind the last key, so that what is added or deleted meanwhile moves nothing. */
export async function readPage<Item extends object>(
  queryable: Queryable,
  { name, select, key, keyMember, filters, request: { cursor, limit } }: PageQuery,
): Promise<Page<Item>> {
  const used = Object.entries(filters).filter(([, value]) => value !== undefined)
  const conditions = used.map(([column], at) => `${column} = $${at + 2}`)
  if (cursor !== undefined) conditions.push(`${key} > $${used.length + 2}`)
  const { rows } = await queryable.query<Item>({
    // A name stands for one text, and the text varies with the filters.
    name: [name, ...used.map(([column]) => column), cursor === undefined ? 'first' : 'next'].join('.'),
    text: `${select} WHERE ${['true', ...conditions].join(' AND ')} ORDER BY ${key} LIMIT $1`,
    values: [limit + 1, ...used.map(([, value]) => value), ...(cursor === undefined ? [] : [cursor])],
  })
  if (rows.length <= limit) return { items: rows }
  const items = rows.slice(0, limit)
  const last = (items.at(-1) as Readonly<Record<string, unknown>> | undefined)?.[keyMember]
  return { items, nextCursor: String(last) }
}
