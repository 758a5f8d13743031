import type { ParseArgsConfig } from 'node:util'
import type { UntypedInput } from '../api/management-client.ts'
import type { Operation, OperationParameter } from '../api/operation.ts'
import type { CommandContext } from '../command.ts'
import { commandArguments } from '../command-arguments.ts'
import { UsageError } from '../usage-error.ts'
import { commandWords, optionName } from './command-words.ts'
import { requestBody } from './request-body.ts'

export interface OperationCall {
  readonly input: UntypedInput
  readonly output: string
  /** Whether the parts of a list are wanted as one. */
  readonly all: boolean
  readonly showEtag: boolean
}

/** What the arguments of an operation's command ask for. Throws UsageError. */
export async function readOperationCall(
  operation: Operation,
  args: readonly string[],
  context: CommandContext,
): Promise<OperationCall> {
  const { values, positionals } = commandArguments({
    args: [...args],
    options: optionsOf(operation),
    allowPositionals: true,
  })
  const text = (name: string) => (typeof values[name] === 'string' ? values[name] : undefined)
  const given = (place: OperationParameter['in']) =>
    Object.fromEntries(
      operation.parameters
        .filter((parameter) => parameter.in === place)
        .map(({ name }) => [name, text(optionName(name))]),
    )
  const path = pathValues(operation, positionals)
  const body = operation.body && {
    body: await requestBody(
      operation.body,
      { file: text('file'), set: Array.isArray(values.set) ? values.set.map(String) : [] },
      context,
    ),
  }
  return {
    input: { path, query: given('query'), headers: given('header'), ...body },
    output: text('output') ?? 'table',
    all: values.all === true,
    showEtag: values['show-etag'] === true,
  }
}

function optionsOf({ parameters, body }: Operation): NonNullable<ParseArgsConfig['options']> {
  const isList = parameters.some(({ name }) => name === 'cursor')
  return {
    ...Object.fromEntries(
      parameters
        .filter((parameter) => parameter.in !== 'path')
        .map(({ name }) => [optionName(name), { type: 'string' as const }]),
    ),
    ...(isList && { all: { type: 'boolean' } }),
    ...(body && { file: { type: 'string' }, set: { type: 'string', multiple: true } }),
    output: { type: 'string' },
    'show-etag': { type: 'boolean' },
  }
}

function pathValues({ id, parameters }: Operation, positionals: readonly string[]): Record<string, string> {
  const names = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)
  if (positionals.length !== names.length || positionals.includes('')) {
    const wanted = names.length === 0 ? 'no argument but options' : names.join(' ')
    throw new UsageError(`signet ${commandWords(id)} takes ${wanted}; see signet ${commandWords(id)} --help`)
  }
  return Object.fromEntries(names.map((name, index) => [name, positionals[index] ?? '']))
}
