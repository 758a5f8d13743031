import type { Schema } from '../api/operation.ts'

// The types of the fields of a request body, as the command reads and describes them.

export const alternatives = (schema: Schema): readonly Schema[] => schema.anyOf ?? [schema]

export const typesOf = (schema: Schema): readonly string[] =>
  alternatives(schema).flatMap(({ type = [] }) => type)

/** The alternative of a schema that is a list. */
export const listOf = (schema: Schema): Schema | undefined =>
  alternatives(schema).find(({ type }) => type === 'array')

/** A field in Base64, which never begins with an at sign, so that one names a file. */
export const isBase64 = (schema: Schema): boolean =>
  alternatives(schema).some(({ format }) => format === 'base64')

/** The values that a field, or each entry of a list, may have; none when it is free. */
export const allowedValues = (schema: Schema): readonly unknown[] =>
  alternatives(schema).flatMap((one) => one.enum ?? (one.items ? allowedValues(one.items) : []))

/** Whether no entry can contain a comma: a URI can, a client id or a value of an enumeration cannot. */
export function mayBeSeparatedByCommas(items: Schema): boolean {
  if (items.enum !== undefined) return items.enum.every((value) => !String(value).includes(','))
  return typeof items.pattern === 'string' && !new RegExp(items.pattern, 'u').test('a,b')
}

const NAMES: Readonly<Record<string, string>> = { string: 'text', integer: 'number', boolean: 'true/false' }

/** `text`, `number or text`, `list`, `true/false`, `base64 or @file`. */
export function typeName(schema: Schema): string {
  const list = listOf(schema)
  if (list !== undefined) return mayBeSeparatedByCommas(list.items ?? {}) ? 'list a,b' : 'list'
  if (isBase64(schema)) return 'base64 or @file'
  const types = typesOf(schema).filter((type) => type !== 'null')
  return types.map((type) => NAMES[type] ?? type).join(' or ')
}
