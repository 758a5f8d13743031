import type { Schema } from '../api/description.ts'

/** A name of a map with the object of its name. */
export interface MapRow {
  readonly name: string
  readonly members: Readonly<Record<string, unknown>>
}

export const rowsOf = (value: unknown): readonly MapRow[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).map(([name, members]) => ({ name, members }))
    : []

/** A row to fill in: a list that the API requires is empty until it is filled. */
export const emptyRow = ({ required = [], properties = {} }: Schema): MapRow => ({
  name: '',
  members: Object.fromEntries(
    required.filter((member) => properties[member]?.type === 'array').map((member) => [member, []]),
  ),
})

/** The map of the rows, without those that are empty; the texts of rows, which the API refuses by name, where two have one name. */
export function mapOfRows(rows: readonly MapRow[]): unknown {
  const filled = rows.filter((row) => !isEmpty(row))
  const map = Object.fromEntries(filled.map(({ name, members }) => [name, members]))
  return Object.keys(map).length === filled.length ? map : filled.map(({ name }) => name).join('\n')
}

/** Whether nothing was written in a row. */
export const isEmptyRow = (members: MapRow['members']): boolean =>
  Object.values(members).every((member) => Array.isArray(member) && member.length === 0)

const isEmpty = ({ name, members }: MapRow) => name === '' && isEmptyRow(members)
