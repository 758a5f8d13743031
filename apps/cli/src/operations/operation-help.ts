import { stringify } from 'yaml'
import { OPERATIONS } from '../api/gen/operations.ts'
import { commandWords, type Operation, type Schema } from '../api/operation.ts'
import { table } from '../output.ts'
import { allowedValues, alternatives, listOf, typeName } from './field-types.ts'

/** `organizationId` and `If-Match` as options: `organization-id`, `if-match`. */
export const optionName = (parameterName: string) =>
  parameterName.replace(/(?<=[a-z])[A-Z]/g, '-$&').toLowerCase()

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

/** The rows of a table of fields. `parent` is the path of the object, with a dot at the end, or empty. */
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

/** Advice for an unknown option that is a field of the body: `use --set name=VALUE`. */
export function fieldMeantBy(option: string, args: readonly string[]): string | undefined {
  const words = args.slice(0, 2).join(' ')
  const operation = Object.values(OPERATIONS).find(({ id }) => commandWords(id) === words)
  if (operation?.body === undefined) return undefined
  const [field] = fieldsOf(operation.body.schema).filter(({ path }) =>
    [path, path.split('.').at(-1) ?? ''].some((name) => optionName(name) === optionName(option)),
  )
  if (field === undefined) return undefined
  const at = args.findIndex((arg) => arg === `--${option}` || arg.startsWith(`--${option}=`))
  const value = args[at]?.split('=').slice(1).join('=') || args[at + 1]
  // Does not print a password or secret, since a terminal keeps its output.
  const shown =
    value === undefined || value.startsWith('--') || /password|secret/i.test(field.path) ? 'VALUE' : value
  return `use --set ${field.path}=${shown}`
}

/** Fields of objects in the body have a path: `profile.givenName`. */
function fieldsOf({ properties = {} }: Schema, parent = ''): { path: string }[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const object = alternatives(schema).find((alternative) => alternative.properties !== undefined)
    return object === undefined ? { path: `${parent}${name}` } : fieldsOf(object, `${parent}${name}.`)
  })
}
