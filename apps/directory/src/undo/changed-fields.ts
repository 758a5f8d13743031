import { OBJECT_TABLES } from './object-tables.ts'
import type { RowSet } from './row-sets.ts'

type Row = Readonly<Record<string, unknown>>

/** The rows of one object as JSON, by the names of their tables. */
export type ObjectImage = Readonly<Record<string, readonly Row[]>>

/** The content of a sealed column; undefined for all other columns. Sealing the same content twice gives other bytes. */
export type OpenSealed = (table: string, row: Row) => unknown

/** The fields of the format in which two states of an object differ, sorted. Never their values. */
export function changedFields(
  list: string,
  before: ObjectImage,
  after: ObjectImage,
  open: OpenSealed,
): readonly string[] {
  const rowSets = OBJECT_TABLES.get(list)?.rowSets ?? []
  const fields = rowSets.flatMap((rows) =>
    fieldsOf(rows, before[rows.table] ?? [], after[rows.table] ?? [], open),
  )
  return [...new Set(fields)].sort()
}

function fieldsOf(
  { table, columns, primaryKey }: RowSet,
  before: readonly Row[],
  after: readonly Row[],
  open: OpenSealed,
): readonly string[] {
  const keyOf = (row: Row) => JSON.stringify(primaryKey.map((column) => row[column]))
  const rowsByKey = (rows: readonly Row[]) => new Map(rows.map((row) => [keyOf(row), row]))
  const [old, present] = [rowsByKey(before), rowsByKey(after)]
  return [...new Set([...old.keys(), ...present.keys()])].flatMap((key) => {
    const [was, is] = [old.get(key), present.get(key)]
    if (table === 'carried_record') return differentMembers(was && open(table, was), is && open(table, is))
    const opened = { was: was && open(table, was), is: is && open(table, is) }
    return Object.entries(columns).flatMap(([column, field]) => {
      if (field === null) return []
      const [left, right] =
        opened.was === undefined && opened.is === undefined
          ? [was?.[column], is?.[column]]
          : [opened.was, opened.is]
      return isEqual(left ?? null, right ?? null) ? [] : [field]
    })
  })
}

function differentMembers(was: unknown, is: unknown): readonly string[] {
  const [left, right] = [(was ?? {}) as Row, (is ?? {}) as Row]
  return [...new Set([...Object.keys(left), ...Object.keys(right)])].filter(
    (member) => !isEqual(left[member], right[member]),
  )
}

const isEqual = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right)
