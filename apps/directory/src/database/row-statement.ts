import { createHash } from 'node:crypto'
import type { Queryable, Statement } from '@signet/platform/postgres/pool'
import type { SeenObjects } from '../permissions/seen-objects.ts'
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

export interface PageQuery {
  readonly name: string
  /** Up to WHERE. */
  readonly select: string
  /** The unique column that orders the list, and the member of an item that holds it. */
  readonly key: string
  readonly keyMember: string
  /** Columns and the values that they must have; those without a value do not count. */
  readonly filters: Readonly<Record<string, string | undefined>>
  /** Conditions that are no equality of a column, by a name of each. */
  readonly conditions?: Readonly<Record<string, PageCondition>>
  readonly request: PageRequest
}

/** A condition on the organization and the project of a row, for `seen`; the columns come from the code. */
export function seenCondition(
  seen: SeenObjects | undefined,
  { organization, project }: { readonly organization: string; readonly project?: string },
): PageCondition {
  const isIn = (column: string, place = '') => `${column} = ANY (${place}::text[])`
  return project === undefined
    ? { text: (place) => isIn(organization, place), values: seen && [seen.organizationIds] }
    : {
        text: (ofOrganizations, ofProjects) =>
          `(${isIn(organization, ofOrganizations)} OR ${isIn(project, ofProjects)})`,
        values: seen && [seen.organizationIds, seen.projectIds],
      }
}

export interface PageCondition {
  /** SQL; the places stand for the values. */
  readonly text: (...places: readonly string[]) => string
  /** Undefined: the condition does not count. */
  readonly values: readonly unknown[] | undefined
}

/** The conditions of a part of a list, whose values come behind those that are there, and the labels that tell its text. */
export function pageConditions(
  {
    key,
    filters,
    conditions: others = {},
    request: { cursor },
  }: Pick<PageQuery, 'key' | 'filters' | 'conditions' | 'request'>,
  values: unknown[],
): { readonly text: string; readonly labels: readonly string[] } {
  const equalities = Object.entries(filters).map(([column, value]): [string, PageCondition] => [
    column,
    { text: (place) => `${column} = ${place}`, values: value === undefined ? undefined : [value] },
  ])
  const used = [...equalities, ...Object.entries(others)].filter(
    ([, condition]) => condition.values !== undefined,
  )
  const placeOf = (value: unknown) => `$${values.push(value)}`
  const conditions = used.map(([, condition]) => condition.text(...(condition.values ?? []).map(placeOf)))
  if (cursor !== undefined) conditions.push(`${key} > ${placeOf(cursor)}`)
  return {
    text: ['true', ...conditions].join(' AND '),
    labels: [...used.map(([label]) => label), cursor === undefined ? 'first' : 'next'],
  }
}

/**
 * Reads a part of a list. It begins behind the last key of the part before, so that rows that are added or deleted
 * meanwhile move nothing.
 */
export async function readPage<Item extends object>(
  queryable: Queryable,
  { name, select, key, keyMember, ...query }: PageQuery,
): Promise<Page<Item>> {
  const { limit } = query.request
  const values: unknown[] = [limit + 1]
  const conditions = pageConditions({ key, ...query }, values)
  const { rows } = await queryable.query<Item>({
    // A name stands for one text, and the text varies with the filters.
    name: statementName(name, conditions.labels),
    text: `${select} WHERE ${conditions.text} ORDER BY ${key} LIMIT $1`,
    values,
  })
  if (rows.length <= limit) return { items: rows }
  const items = rows.slice(0, limit)
  const last = (items.at(-1) as Readonly<Record<string, unknown>> | undefined)?.[keyMember]
  return { items, nextCursor: String(last) }
}

/** PostgreSQL cuts longer names, and two statements could have one. */
const LONGEST_STATEMENT_NAME = 63

export function statementName(name: string, parts: readonly string[]): string {
  const whole = [name, ...parts].join('.')
  if (whole.length <= LONGEST_STATEMENT_NAME) return whole
  return `${name}.${createHash('sha256').update(whole).digest('base64url').slice(0, 16)}`
}
