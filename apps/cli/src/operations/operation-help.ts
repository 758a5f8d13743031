import { stringify } from 'yaml'
import type { Operation, Schema } from '../api/operation.ts'
import { table } from '../output.ts'
import { allowedValues, alternatives, listOf, typeName } from './field-types.ts'

/** The fields of a request body, how to give them, and an example of a file. */
export function bodyHelp({ schema, example }: NonNullable<Operation['body']>, defaults: object): string {
  const file = example === undefined ? '' : `\n\nExample of a file:\n${indented(stringify(example))}`
  return `Fields:\n${table(fieldRows(schema, defaults))}${listHelp(schema)}${file}`
}

function listHelp({ properties = {} }: Schema): string {
  const lists = Object.entries(properties).filter(([, schema]) => listOf(schema) !== undefined)
  const [name] = lists[0] ?? []
  if (name === undefined) return ''
  return `

A list is given entry by entry: --set ${name}=a --set ${name}=b; one marked "list a,b" also as a,b. Where a list is
stored already, --set ${name}+=c adds an entry and --set ${name}-=c takes one away; --set ${name}= empties it.`
}

/** A description with the values and the default that the schema names. */
export function sentence(description: string | undefined, schema: Schema, fallback?: unknown): string {
  const values = allowedValues(schema)
  const standard = fallback ?? schema.default
  return [
    description ?? '',
    values.length === 0 ? '' : `${listOf(schema) ? 'Any' : 'One'} of ${values.join(', ')}.`,
    standard === undefined ? '' : `By default ${standard}.`,
  ]
    .filter((part) => part !== '')
    .join(' ')
}

/** `parent` ends in a dot. */
function fieldRows({ properties = {}, required = [] }: Schema, defaults: object, parent = ''): string[][] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const object = alternatives(schema).find((alternative) => alternative.properties !== undefined)
    if (object !== undefined) return fieldRows(object, {}, `${parent}${name}.`)
    const fallback = (defaults as Record<string, unknown>)[name]
    const necessity = parent === '' ? ' (required)' : ` (required in ${parent.slice(0, -1)})`
    const isRequired = required.includes(name) && fallback === undefined
    return [
      [
        `  ${parent}${name}${isRequired ? necessity : ''}`,
        typeName(schema),
        sentence(schema.description, schema, fallback),
      ],
    ]
  })
}

const indented = (text: string) => text.trimEnd().replace(/^/gm, '  ')
