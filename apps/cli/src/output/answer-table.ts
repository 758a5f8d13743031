import { table } from './table.ts'

/** The items of a list as a table with a column for each field that is plain or has an id; anything else as a line for each field. */
export function tableOf(answer: unknown): string {
  const { items } = Object(answer) as { items?: unknown }
  return Array.isArray(items) ? tableOfItems(items) : table(linesOf(answer, ''))
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

/** An object that is named by its id is shown as that. */
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
