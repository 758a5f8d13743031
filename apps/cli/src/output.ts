import { Option } from '@commander-js/extra-typings'
import { stringify } from 'yaml'
import { UsageError } from './exit-codes.ts'

/** `columns` are those of a table. */
type Format = (value: unknown, columns?: readonly string[]) => string

const FORMATS: Readonly<Record<string, Format>> = {
  table: tableOf,
  json: (value) => JSON.stringify(value, null, 2),
  yaml: (value) => stringify(value).trimEnd(),
}

/** `--output NAME`; its value is the function that writes a response. */
export const outputOption = () =>
  new Option('--output <format>', Object.keys(FORMATS).join(', '))
    .argParser((name): Format => {
      const format = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined
      if (format === undefined) throw new UsageError(`--output: must be ${Object.keys(FORMATS).join(', ')}`)
      return format
    })
    .default<Format>(tableOf, 'table')

/** A text without characters that a terminal obeys, line breaks and tabs excepted: others than the reader wrote values of it. */
export const printable = (text: string): string =>
  text.replaceAll(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu, '\ufffd')

/** A value on one line, so that no value looks like a row of its own. */
export const onOneLine = (text: string): string => printable(text).replaceAll(/[\n\t]+/g, ' ')

/** Rows as printable lines whose columns are aligned, one line for each; the first row is the title. */
export function table(cells: readonly (readonly string[])[]): string {
  const rows = cells.map((row) => row.map(onOneLine))
  const widths = rows.reduce<number[]>(
    (known, row) => row.map((cell, column) => Math.max(known[column] ?? 0, cell.length)),
    [],
  )
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** `2030-01-31 12:00:00Z` */
export function moment(iso: string): string {
  return iso.replace('T', ' ').replace(/\.\d+Z$/, 'Z')
}

/** The items of a list as a table, with these columns or one for each field; every other field as a line. */
export function tableOf(response: unknown, columns?: readonly string[]): string {
  const {
    items,
    nextCursor: _next,
    ...others
  } = Object(response) as { items?: unknown; nextCursor?: unknown }
  if (!Array.isArray(items)) return table(linesOf(response, ''))
  const lines = linesOf(others, '')
  return [tableOfItems(items, columns), ...(lines.length > 0 ? [table(lines)] : [])].join('\n')
}

/** A column is the path of a field, such as `email.address`; `profile.displayName|name` is the first that is there. */
function tableOfItems(
  items: readonly object[],
  columns: readonly string[] = [...new Set(items.flatMap(Object.keys))],
): string {
  if (items.length === 0) return 'none'
  return table([
    columns.map(titleOf),
    ...items.map((item) =>
      columns.map((column) => {
        const values = column.split('|').map((path) => valueAt(item, path))
        return cell(values.find((value) => value !== undefined && value !== null))
      }),
    ),
  ])
}

/** `userName` as USER NAME; of a path its last word, of alternatives the last one. */
function titleOf(column: string): string {
  const [word = ''] = column.split('|').at(-1)?.split('.').slice(-1) ?? []
  const title = TITLES[column] ?? word.replace(/(?<=[a-z\d])[A-Z]/g, ' $&')
  return title.toUpperCase()
}

const TITLES: Readonly<Record<string, string>> = { 'email.address': 'email', 'phone.number': 'phone' }

function valueAt(item: unknown, path: string): unknown {
  return path.split('.').reduce((found, name) => Object(found)[name] as unknown, item)
}

/** A line for each plain field; lists of plain values in one line. */
function linesOf(value: unknown, path: string): [string, string][] {
  if (typeof value !== 'object' || value === null) return [[path, cell(value)]]
  if (Array.isArray(value) && value.every((member) => typeof member !== 'object' || member === null))
    return [[path, cell(value)]]
  const effective = effectiveValue(value)
  if (effective !== undefined) return [[path, effective]]
  return Object.entries(value).flatMap(([name, member]) =>
    linesOf(member, path === '' ? name : `${path}.${name}`),
  )
}

/** The value of a policy that holds, and where it comes from: `8 (instance)`. */
function effectiveValue(value: object): string | undefined {
  const { source, ...others } = value as { readonly source?: unknown }
  const isValue = typeof source === 'string' && 'value' in others && Object.keys(others).length === 1
  return isValue ? `${cell(others.value)} (${source})` : undefined
}

/** A reference is shown as `kind/id (name)` or as its id, a date without its fraction of a second. */
function cell(value: unknown): string {
  if (value === undefined || value === null || value === '') return '-'
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.map(cell).join(', ')
  if (typeof value === 'string') return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) ? moment(value) : value
  if (typeof value !== 'object') return String(value)
  const { kind, id, name } = value as { kind?: unknown; id?: unknown; name?: unknown }
  const reference = [kind, id].filter((part) => part !== undefined).join('/')
  if (reference === '') return JSON.stringify(value)
  return name === undefined || name === id ? reference : `${reference} (${name})`
}
