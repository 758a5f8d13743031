import type { Schema } from '../api/operation.ts'

// The types of the fields of a request body: how the command parses and describes them.

export const alternatives = (schema: Schema): readonly Schema[] => schema.anyOf ?? [schema]

export const typesOf = (schema: Schema): readonly string[] =>
  alternatives(schema).flatMap(({ type = [] }) => type)

/** The alternative of a schema that is a list. */
export const listOf = (schema: Schema): Schema | undefined =>
  alternatives(schema).find(({ type }) => type === 'array')

/** A field in Base64. Base64 never begins with `@`, so `@` marks the name of a file. */
export const isBase64 = (schema: Schema): boolean =>
  alternatives(schema).some(({ format }) => format === 'base64')

/** A field with an XML document. A document begins with `<`, so `@` marks the name of a file, and a file that begins so is none of YAML. */
export const isXml = (schema: Schema): boolean => alternatives(schema).some(({ format }) => format === 'xml')

/** The values that a field, or each entry of a list, may have; [] when it has no enumeration. */
export const allowedValues = (schema: Schema): readonly unknown[] =>
  alternatives(schema).flatMap((one) => one.enum ?? (one.items ? allowedValues(one.items) : []))

/** Whether entries cannot contain a comma: true for client ids and enumerations, false for URIs. */
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
  if (isXml(schema)) return 'XML or @file'
  const types = typesOf(schema).filter((type) => type !== 'null')
  return types.map((type) => NAMES[type] ?? type).join(' or ')
}
