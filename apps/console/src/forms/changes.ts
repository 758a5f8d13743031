import type { Operation, Schema } from '../api/description.ts'
import { isMap } from '../api/maps.ts'

type Values = Readonly<Record<string, unknown>>

/** The members of an answer that a request takes. */
export function known(stored: Values | undefined, { body }: Pick<Operation, 'body'>): Values {
  const fields = Object.keys(body?.properties ?? {})
  return Object.fromEntries(Object.entries(stored ?? {}).filter(([name]) => fields.includes(name)))
}

/**
 * The members of `body` that differ from what is stored. A field that was emptied becomes null where its schema allows that.
 * Maps, and the objects that `replaced` names, are sent whole: the API replaces them.
 */
export function changed(
  body: Values,
  stored: Values,
  schema: Schema = {},
  replaced: readonly string[] = [],
): Values {
  const { properties = {} } = schema
  const entries = Object.entries(body).flatMap(([name, value]): [string, unknown][] => {
    const before = stored[name]
    if (JSON.stringify(value) === JSON.stringify(before)) return []
    const isWhole = replaced.includes(name) || isMap(properties[name])
    if (!isWhole && isObject(value) && isObject(before))
      return [[name, changed(value, before, properties[name])]]
    return [[name, value]]
  })
  const emptied = Object.keys(properties).filter(
    (name) => body[name] === undefined && (stored[name] ?? null) !== null,
  )
  return Object.fromEntries([
    ...entries,
    ...emptied.flatMap((name): [string, unknown][] => {
      if (allowsNull(properties[name])) return [[name, null]]
      return replaced.includes(name) || isMap(properties[name]) ? [[name, {}]] : []
    }),
  ])
}

const allowsNull = (schema: Schema = {}): boolean =>
  (schema.anyOf ?? schema.oneOf ?? []).some(({ type }) => type === 'null') ||
  (Array.isArray(schema.type) && schema.type.includes('null'))

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
