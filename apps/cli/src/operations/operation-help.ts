import { stringify } from 'yaml'
import type { Operation, Schema } from '../api/operation.ts'
import { table } from '../output.ts'

/** The fields of a request body, and an example of a file. */
export function bodyHelp({ schema, example }: NonNullable<Operation['body']>): string {
  const file = example === undefined ? '' : `\n\nExample of a file:\n${indented(stringify(example))}`
  return `Fields:\n${table(fieldRows(schema))}${file}`
}

/** A description with the values and the default that the schema names. */
export function sentence(description: string | undefined, schema: Schema): string {
  const values = (schema.anyOf ?? [schema]).flatMap((alternative) => alternative.enum ?? [])
  return [
    description ?? '',
    values.length === 0 ? '' : `One of ${values.join(', ')}.`,
    schema.default === undefined ? '' : `By default ${schema.default}.`,
  ]
    .filter((part) => part !== '')
    .join(' ')
}

/** `parent` ends in a dot. */
function fieldRows({ properties = {}, required = [] }: Schema, parent = ''): string[][] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const object = (schema.anyOf ?? [schema]).find((alternative) => alternative.properties !== undefined)
    if (object !== undefined) return fieldRows(object, `${parent}${name}.`)
    const necessity = parent === '' ? ' (required)' : ` (required in ${parent.slice(0, -1)})`
    return [
      [`  ${parent}${name}${required.includes(name) ? necessity : ''}`, sentence(schema.description, schema)],
    ]
  })
}

const indented = (text: string) => text.trimEnd().replace(/^/gm, '  ')
