import { OPERATIONS } from '../api/gen/operations.ts'
import { commandWords, type Schema } from '../api/operation.ts'
import { optionName } from './commands.ts'
import { alternatives } from './field-types.ts'

/** How to give a field of the body that was written as an option: `use --set name=VALUE`. */
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
  // Not written again: a terminal keeps its output.
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
