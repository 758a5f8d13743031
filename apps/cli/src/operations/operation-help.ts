import { stringify } from 'yaml'
import type { Operation, OperationParameter, Schema } from '../api/operation.ts'
import { OUTPUT_NAMES } from '../output/output-format.ts'
import { table } from '../output/table.ts'
import { optionName } from './command-words.ts'

const isOption = (parameter: OperationParameter) => parameter.in !== 'path'

/** The arguments of an operation in one line. */
export function operationSynopsis({ parameters, body }: Operation): string {
  return [
    ...parameters.filter((parameter) => !isOption(parameter)).map(({ name }) => name),
    ...parameters.filter(isOption).map(({ name }) => `[--${optionName(name)} ${placeholder(name)}]`),
    ...(parameters.some(({ name }) => name === 'cursor') ? ['[--all]'] : []),
    ...(body === undefined ? [] : ['[--file FILE] [--set FIELD=VALUE]...']),
    `[--output ${OUTPUT_NAMES.join('|')}] [--show-etag]`,
  ].join(' ')
}

/** What the arguments and fields of an operation mean. */
export function operationDetails({ description, parameters, body }: Operation): string {
  const rows = parameters.map((parameter) => [
    isOption(parameter) ? `  --${optionName(parameter.name)}` : `  ${parameter.name}`,
    sentence(parameter.description, parameter.schema),
  ])
  return [
    description ?? '',
    rows.length === 0 ? '' : `Arguments\n${table(rows)}`,
    body === undefined ? '' : `Fields\n${table(fieldRows(body.schema))}`,
    body?.example === undefined ? '' : `Example of a file\n${indented(stringify(body.example))}`,
  ]
    .filter((part) => part !== '')
    .join('\n\n')
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

function sentence(description: string | undefined, schema: Schema): string {
  const values = (schema.anyOf ?? [schema]).flatMap((alternative) => alternative.enum ?? [])
  return [
    description ?? '',
    values.length === 0 ? '' : `One of ${values.join(', ')}.`,
    schema.default === undefined ? '' : `By default ${schema.default}.`,
  ]
    .filter((part) => part !== '')
    .join(' ')
}

const placeholder = (name: string) => optionName(name).replaceAll('-', '_').toUpperCase()
const indented = (text: string) => text.trimEnd().replace(/^/gm, '  ')
