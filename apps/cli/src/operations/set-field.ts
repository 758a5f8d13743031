import type { Schema } from '../api/operation.ts'
import { UsageError } from '../usage-error.ts'

/**
 * `--set profile.givenName=Erin`: the body with that field. What is no text in the schema is read as JSON. Throws
 * UsageError for a field that the schema does not know.
 */
export function setField(body: Readonly<Record<string, unknown>>, assignment: string, schema: Schema) {
  const at = assignment.indexOf('=')
  if (at < 1) throw new UsageError(`--set ${assignment}: must be field=value`)
  const path = assignment.slice(0, at).split('.')
  return withValue(body, path, parsedAs(assignment.slice(at + 1), schemaAt(schema, path)))
}

function withValue(
  target: unknown,
  [name = '', ...rest]: readonly string[],
  value: unknown,
): Record<string, unknown> {
  const members = typeof target === 'object' && target !== null ? (target as Record<string, unknown>) : {}
  return { ...members, [name]: rest.length === 0 ? value : withValue(members[name], rest, value) }
}

function schemaAt(schema: Schema, path: readonly string[]): Schema {
  return path.reduce<Schema>((found, name, depth) => {
    const object = alternatives(found).find(({ properties }) => properties !== undefined)
    if (object === undefined) return {}
    const member = object.properties?.[name]
    if (member !== undefined) return member
    const known = Object.keys(object.properties ?? {}).join(', ')
    throw new UsageError(`--set ${path.slice(0, depth + 1).join('.')}: is not a field; there are ${known}`)
  }, schema)
}

const alternatives = (schema: Schema): readonly Schema[] => schema.anyOf ?? [schema]

function parsedAs(text: string, schema: Schema): unknown {
  const types = alternatives(schema).flatMap(({ type = [] }) => type)
  if (types.includes('string') && !(text === 'null' && types.includes('null'))) return text
  try {
    return JSON.parse(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    // What it ought to be is the suite's to say, with field and rule.
    return text
  }
}
