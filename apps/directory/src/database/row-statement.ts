import { createHash } from 'node:crypto'
import type { Queryable, Statement } from '@signet/platform/postgres/pool'
import type { Page, PageRequest } from '../schema/paging.ts'

/** Names of columns, which come from the code and never from a caller, and their values. */
export type Columns = Readonly<Record<string, unknown>>

export function insertRow(prefix: string, table: string, columns: Columns): Statement {
  const names = Object.keys(columns)
  const places = names.map((_, at) => `$${at + 1}`)
  const text = `INSERT INTO directory.${table} (${names.join(', ')}) VALUES (${places.join(', ')})`
  return named(prefix, table, text, Object.values(columns))
}

/** Changes the row that `identity`, a primary key, means. */
export function updateRow(prefix: string, table: string, columns: Columns, identity: Columns): Statement {
  const names = Object.keys(columns)
  const { condition, values } = whereRow(identity, names.length)
  const assignments = names.map((name, at) => `${name} = $${at + 1}`)
  const text = `UPDATE directory.${table} SET ${assignments.join(', ')} WHERE ${condition}`
  return named(prefix, table, text, [...Object.values(columns), ...values])
}

function whereRow(identity: Columns, offset: number) {
  const condition = Object.keys(identity)
    .map((name, at) => `${name} = $${offset + at + 1}`)
    .join(' AND ')
  return { condition, values: Object.values(identity) }
}

/** The set of columns varies, so the name must: one name may stand for one text only. */
function named(prefix: string, table: string, text: string, values: readonly unknown[]): Statement {
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 12)
  return { name: `${prefix}.${table}.${digest}`, text, values }
}

interface PageQuery {
  readonly name: string
  /** Up to WHERE. */
  readonly select: string
  /** The unique column that orders the list, and the member of an item that holds it. */
  readonly key: string
  readonly keyMember: string
  /** Columns and the values that they must have; those without a value do not count. */
  readonly filters: Readonly<Record<string, string | undefined>>
  /** Conditions that are no equality of a column, by a name of each; those without a value do not count. */
  readonly conditions?: Readonly<Record<string, PageCondition>>
  readonly request: PageRequest
}

interface PageCondition {
  /** SQL; `place` stands for the value. */
  readonly text: (place: string) => string
  readonly value: unknown
}

/**
 * Reads a part of a list. It begins behind the last key of the part before, so that rows that are added or deleted
 * meanwhile move nothing.
 */
export async function readPage<Item extends object>(
  queryable: Queryable,
  { name, select, key, keyMember, filters, conditions: others = {}, request: { cursor, limit } }: PageQuery,
): Promise<Page<Item>> {
  const equalities = Object.entries(filters).map(
    ([column, value]) => [column, { text: (place: string) => `${column} = ${place}`, value }] as const,
  )
  const used = [...equalities, ...Object.entries(others)].filter(([, { value }]) => value !== undefined)
  const conditions = used.map(([, { text }], at) => text(`$${at + 2}`))
  if (cursor !== undefined) conditions.push(`${key} > $${used.length + 2}`)
  const { rows } = await queryable.query<Item>({
    // A name stands for one text, and the text varies with the filters.
    name: statementName(name, [...used.map(([label]) => label), cursor === undefined ? 'first' : 'next']),
    text: `${select} WHERE ${['true', ...conditions].join(' AND ')} ORDER BY ${key} LIMIT $1`,
    values: [limit + 1, ...used.map(([, { value }]) => value), ...(cursor === undefined ? [] : [cursor])],
  })
  if (rows.length <= limit) return { items: rows }
  const items = rows.slice(0, limit)
  const last = (items.at(-1) as Readonly<Record<string, unknown>> | undefined)?.[keyMember]
  return { items, nextCursor: String(last) }
}

/** PostgreSQL cuts longer names, and two statements could have one. */
const LONGEST_STATEMENT_NAME = 63

function statementName(name: string, parts: readonly string[]): string {
  const whole = [name, ...parts].join('.')
  if (whole.length <= LONGEST_STATEMENT_NAME) return whole
  return `${name}.${createHash('sha256').update(whole).digest('base64url').slice(0, 16)}`
}
