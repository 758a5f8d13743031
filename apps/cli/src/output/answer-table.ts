import { table } from './table.ts'

/** The items of a list as a table with a column for each plain field; anything else as a line for each field. */
export function tableOf(answer: unknown): string {
  const { items } = Object(answer) as { items?: unknown }
  return Array.isArray(items) ? tableOfItems(items) : table(linesOf(answer, ''))
}

function tableOfItems(items: readonly object[]): string {
  if (items.length === 0) return 'none'
  const columns = [
    ...new Set(
      items.flatMap((item) =>
        Object.entries(item)
          .filter(isPlain)
          .map(([name]) => name),
      ),
    ),
  ]
  return table([
    columns.map((name) => name.replace(/[A-Z]/g, ' $&').toUpperCase()),
    ...items.map((item) => columns.map((name) => cell((item as Record<string, unknown>)[name]))),
  ])
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
