import type { Schema } from '../api/description.ts'
import { isEmptyRow } from './map-rows.ts'

/** An object of a list. */
export type Members = Readonly<Record<string, unknown>>

/** Whether a schema is a list of objects whose members are plain enough for a row. Deeper ones are JSON. */
export const isRowList = (schema: Schema): schema is Schema & { readonly items: Schema } =>
  schema.type === 'array' &&
  schema.items?.properties !== undefined &&
  Object.values(schema.items.properties).every(isPlain)

const isPlain = ({ type, properties, items }: Schema): boolean =>
  properties === undefined &&
  type !== 'object' &&
  (items === undefined || items.type === 'string' || items.enum !== undefined)

export const isListOfObjects = (
  value: unknown,
  most = Number.POSITIVE_INFINITY,
): value is readonly Members[] =>
  Array.isArray(value) &&
  value.length <= most &&
  value.every((one) => typeof one === 'object' && one !== null && !Array.isArray(one))

/** The list of the rows, without those that are empty. Members that no field shows stay. */
export const listOfRows = (rows: readonly Members[]): readonly Members[] =>
  rows.filter((members) => !isEmptyRow(members))

/** The places that the rows have in the list, by which the API names what it refuses. */
export const placesOf = (rows: readonly Members[]): readonly number[] =>
  rows.map((_, at) => listOfRows(rows.slice(0, at)).length)
