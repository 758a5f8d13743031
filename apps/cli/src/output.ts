import { Option } from '@commander-js/extra-typings'
import { stringify } from 'yaml'
import { UsageError } from './exit-codes.ts'

type Format = (value: unknown) => string

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

/** Rows as lines whose columns are aligned; the first row is the title. */
export function table(rows: readonly (readonly string[])[]): string {
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

/**
 * The items of a list as a table with a column for each field that is plain or has an id; everything else as a line for
 * each field.
 */
export function tableOf(response: unknown): string {
  const { items } = Object(response) as { items?: unknown }
  return Array.isArray(items) ? tableOfItems(items) : table(linesOf(response, ''))
}

function tableOfItems(items: readonly object[]): string {
  if (items.length === 0) return 'none'
  const rows = items.map(
    (item) => new Map(Object.entries(item).map(([name, value]) => [name, reference(value)])),
  )
  const columns = [...new Set(rows.flatMap((row) => [...row].filter(isPlain).map(([name]) => name)))]
  return table([
    columns.map((name) => name.replace(/[A-Z]/g, ' $&').toUpperCase()),
    ...rows.map((row) => columns.map((name) => cell(row.get(name)))),
  ])
}

/** An object with an id is shown as its id. */
function reference(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'id' in value ? value.id : value
}

function linesOf(value: unknown, path: string): [string, string][] {
  if (typeof value !== 'object' || value === null) return [[path, cell(value)]]
  if (Array.isArray(value) && value.every((member) => isPlain(['', member])))
    return [[path, value.map(cell).join(', ')]]
  return Object.entries(value).flatMap(([name, member]) =>
    linesOf(member, path === '' ? name : `${path}.${name}`),
  )
}

const isPlain = ([, value]: [string, unknown]) => typeof value !== 'object' || value === null

const cell = (value: unknown) => (value === undefined || value === null ? '-' : String(value))
