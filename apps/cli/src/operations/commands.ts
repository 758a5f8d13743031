import { type Command, Option } from '@commander-js/extra-typings'
import { openSuite } from '../access/suite-access.ts'
import { OPERATIONS } from '../api/gen/operations.ts'
import type { Operation } from '../api/operation.ts'
import type { Suite } from '../api/suite.ts'
import type { AddCommand, CommandContext } from '../context.ts'
import { UsageError } from '../exit-codes.ts'
import { outputOption, tableOf } from '../output.ts'
import { columnsOf, columnsOption } from './columns.ts'
import { bodyHelp, sentence } from './operation-help.ts'
import { requestBody } from './request-body.ts'

/** The operations that commands of their own replace: `apply.ts`, `doctor.ts`. */
const REPLACED = ['instance.apply', 'instance.doctor']

interface RequestInput {
  readonly params: Readonly<Record<'path' | 'query' | 'header', Readonly<Record<string, unknown>>>>
  readonly body?: unknown
}

/** `service_user.rotate_secret` as the words of a command: `service-user rotate-secret`. */
const commandWords = (operationId: string) => operationId.replaceAll('_', '-').replace('.', ' ')

/** `organizationId` and `If-Match` as options: `organization-id`, `if-match`. */
const optionName = (parameterName: string) => parameterName.replace(/(?<=[a-z])[A-Z]/g, '-$&').toLowerCase()

/** Adds a command for each operation of the management API. */
export function addOperationCommands(add: AddCommand, context: CommandContext): void {
  for (const operation of Object.values(OPERATIONS)) {
    if (!REPLACED.includes(operation.id))
      addOperationCommand(add(commandWords(operation.id)), operation, context)
  }
}

function addOperationCommand(command: Command, operation: Operation, context: CommandContext): void {
  const { id, summary, description, parameters, body, itemFields } = operation
  const inPath = parameters.filter((parameter) => parameter.in === 'path')
  const options = parameters
    .filter((parameter) => parameter.in !== 'path')
    .map((parameter) => {
      const name = optionName(parameter.name)
      const flags = `--${name} <${name.split('-').at(-1)}>`
      return { ...parameter, option: new Option(flags, sentence(parameter.description, parameter.schema)) }
    })
  for (const { name, description, schema } of inPath) {
    command.argument(`[${name}]`, sentence(description, schema))
  }
  command.allowExcessArguments()
  for (const { option } of options) command.addOption(option)
  if (parameters.some(({ name }) => name === 'cursor')) command.option('--all', 'every part of the list')
  if (itemFields !== undefined) command.addOption(columnsOption(itemFields))
  if (body !== undefined) {
    command
      .option('--file <file>', 'the body as YAML or JSON, - for standard input')
      .option(
        '--set <field=value>',
        'a field of the body; may be repeated',
        (value, before: string[] = []) => [...before, value],
      )
  }
  command
    .description(summary.replace(/^[A-Z]/, (letter) => letter.toLowerCase()))
    .addOption(outputOption())
    .option('--show-etag', 'writes the ETag to standard error, for --if-match')
    .addHelpText(
      'after',
      [description, itemFields && `Columns: ${itemFields.join(', ')}`, body && bodyHelp(body)]
        .map((text) => (text ? `\n${text}` : ''))
        .join('\n'),
    )
    .action(async () => {
      const given = (name: string) => command.getOptionValue(name)
      const valuesIn = (place: string) =>
        Object.fromEntries(
          options
            .filter((parameter) => parameter.in === place)
            .map(({ name, option }) => [name, given(option.attributeName())]),
        )
      if (command.args.length !== inPath.length || command.args.includes('')) {
        const wanted =
          inPath.length === 0 ? 'no argument but options' : inPath.map(({ name }) => name).join(' ')
        const words = `signet ${commandWords(id)}`
        throw new UsageError(`${words} takes ${wanted}; see ${words} --help`)
      }
      const path = Object.fromEntries(inPath.map(({ name }, index) => [name, command.args[index]]))
      const input: RequestInput = {
        params: { path, query: valuesIn('query'), header: valuesIn('header') },
        ...(body && {
          body: await requestBody(
            body,
            { file: given('file') as string | undefined, set: (given('set') ?? []) as string[] },
            context,
          ),
        }),
      }
      const { management } = await openSuite(context)
      const { data, response } = given('all')
        ? { data: await allParts(management, operation, input), response: undefined }
        : await request(management, operation, input)
      const output = given('output') as (value: unknown, columns?: readonly string[]) => string
      const columns = given('columns') as readonly string[] | undefined
      if (columns !== undefined && output !== tableOf) throw new UsageError('--columns is for --output table')
      if (data !== undefined) context.say(output(data, columns ?? columnsOf(operation)))
      const { nextCursor } = Object(data) as { nextCursor?: string }
      if (nextCursor !== undefined) context.note(`there are more: --all, or --cursor ${nextCursor}`)
      const etag = response?.headers.get('etag')
      if (given('showEtag') && etag) context.note(`etag: ${etag}`)
    })
}

/** A list that has several parts, as one. */
async function allParts(management: Suite['management'], operation: Operation, { params }: RequestInput) {
  const items: unknown[] = []
  let cursor = params.query.cursor
  do {
    const input = { params: { ...params, query: { ...params.query, cursor } } }
    const { data } = await request(management, operation, input)
    const part = data as { readonly items: readonly unknown[]; readonly nextCursor?: string }
    items.push(...part.items)
    cursor = part.nextCursor
  } while (cursor !== undefined)
  return { items }
}

/** An operation that is known at run time only: the suite checks its input. */
async function request(management: Suite['management'], { method, path }: Operation, input: RequestInput) {
  const untyped = management.request as unknown as (
    method: string,
    path: string,
    input: RequestInput,
  ) => Promise<{ readonly data?: unknown; readonly response: Response }>
  return untyped(method, path, input)
}
