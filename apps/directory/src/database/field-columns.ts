import { exportedName, type Field, type Fields, type Kind } from '@signet/protocol/fields/field'
import type { Columns } from './row-statement.ts'

// The columns of the fields of an entity in statements and rows, made of the tables in @signet/protocol/fields.

interface SqlKind {
  readonly type: string
  /** Null says that no value was stated, so that an export states none. */
  readonly keepsNull?: true
}

const SQL_KINDS: Readonly<Record<Kind, SqlKind>> = {
  name: { type: 'text' },
  flag: { type: 'boolean' },
  domain: { type: 'text' },
  clientId: { type: 'text' },
  clientIds: { type: 'text[]' },
  language: { type: 'text' },
  webUrl: { type: 'text' },
  resourceUri: { type: 'text' },
  birthdate: { type: 'text' },
  timeZone: { type: 'text' },
  streetAddress: { type: 'text' },
  gender: { type: 'text' },
  tokenType: { type: 'text' },
  signingAlg: { type: 'text' },
  privateLabeling: { type: 'text', keepsNull: true },
  detailTypes: { type: 'jsonb' },
}

const literal = (value: Field['default']): string =>
  typeof value === 'object' ? "'{}'" : typeof value === 'string' ? `'${value}'` : String(value)

const orDefault = (column: string, initial: Field['default']): string =>
  initial === undefined ? column : `coalesce(${column}, ${literal(initial)})`

/** The names of the columns, for an INSERT. */
export const columnNames = (fields: Fields): readonly string[] =>
  Object.values(fields).map(({ column }) => column)

/** A SELECT list that gives each column the name of its field. */
export const selectFields = (fields: Fields): string =>
  Object.entries(fields)
    .map(
      ([name, field]) =>
        `${SQL_KINDS[field.kind].keepsNull ? orDefault(field.column, field.default) : field.column} AS "${name}"`,
    )
    .join(', ')

/** The type of each column. */
export const columnTypes = (fields: Fields): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.values(fields).map(({ column, kind }) => [column, SQL_KINDS[kind].type]))

/** The columns with their types, for `json_to_recordset`. */
export const recordColumns = (fields: Fields): string =>
  Object.entries(columnTypes(fields))
    .map((column) => column.join(' '))
    .join(', ')

/** The value of each column with a default in a new row. */
export const defaultColumns = (fields: Fields): Columns =>
  Object.fromEntries(
    Object.values(fields).flatMap(({ column, default: initial }) =>
      initial === undefined ? [] : [[column, initial]],
    ),
  )

/** The values of new rows `alias`, of which each may leave out what has a default. */
export const newValues = (fields: Fields, alias: string): string =>
  Object.values(fields)
    .map(({ kind, column, default: initial }) =>
      orDefault(`${alias}.${column}`, SQL_KINDS[kind].keepsNull ? undefined : initial),
    )
    .join(', ')

/** The columns of the fields that `values` has, in the order of the table: one statement for one set of columns. */
export function givenColumns(
  fields: Readonly<Record<string, { readonly column: string }>>,
  values: object,
): Columns {
  const members = values as Readonly<Record<string, unknown>>
  const given = Object.entries(fields).filter(([name]) => members[name] !== undefined)
  return Object.fromEntries(given.map(([name, { column }]) => [column, members[name]]))
}

/** The columns of the members of a record of the export format; an empty text takes an optional value away. */
export function importedColumns(fields: Fields, record: object): Columns {
  const members = record as Readonly<Record<string, unknown>>
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const value = members[exportedName(name, field)]
      return [field.column, field.optional && value === '' ? null : value]
    }),
  )
}

/** Returns a function that makes the members of a record of the export format of a row. */
export function createExport(fields: Fields): (row: object) => Record<string, unknown> {
  const names = Object.entries(fields).map(
    ([name, field]) => [exportedName(name, field), field.column] as const,
  )
  return (row) => {
    const columns = row as Columns
    const members: Record<string, unknown> = {}
    for (const [name, column] of names) members[name] = columns[column]
    return members
  }
}
