import { type Command, Option } from '@commander-js/extra-typings'
import { PROJECT_FIELDS } from '@signet/protocol/fields/project'
import { openSuite } from '../access/suite-access.ts'
import { OPERATIONS } from '../api/gen/operations.ts'
import { commandWords, type Operation } from '../api/operation.ts'
import type { AddCommand, CommandContext } from '../context.ts'
import { UsageError } from '../exit-codes.ts'
import { outputOption, tableOf } from '../output.ts'
import { addApplicationKinds, applicationOfKind, kindHelp } from './application-kinds.ts'
import { confirmOperation, isDestructive, mayAsk, requireYes, YES_OPTION } from './confirmation.ts'
import { withIds } from './identifiers.ts'
import { bodyHelp, optionName, sentence } from './operation-help.ts'
import { membersTakenBack, REPLACING } from './replaced-settings.ts'
import {
  type RequestInput,
  readOperationOfLists,
  request,
  requestAllPages,
  requestListChanges,
} from './request.ts'
import { type Body, requestBody } from './request-body.ts'

/** Operations that have a hand-written command: `audit/commands.ts`, `apply.ts`, `doctor.ts`, `secrets.ts`. */
const HAND_WRITTEN = ['audit.chain', 'audit.export', 'instance.apply', 'instance.doctor', 'secrets.rewrap']

/** Defaults of body fields. A day is enough to deploy a new secret everywhere. */
const DEFAULTS: Readonly<Record<string, Body>> = {
  'application.rotate_secret': { overlapSeconds: 86_400 },
  'service_user.rotate_secret': { overlapSeconds: 86_400 },
}

/** Adds a command for each operation of the management API. */
export function addOperationCommands(add: AddCommand, context: CommandContext): void {
  for (const operation of Object.values(OPERATIONS)) {
    if (!HAND_WRITTEN.includes(operation.id))
      addOperationCommand(add(commandWords(operation.id)), operation, context)
  }
}

function addOperationCommand(command: Command, operation: Operation, context: CommandContext): void {
  const { id, summary, description, parameters, body, itemFields } = operation
  const inPath = pathParameters(operation)
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
  if (parameters.some(({ name }) => name === 'cursor')) command.option('--all', 'all pages')
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
  if (isCreationOfApplication(operation)) addApplicationKinds(command)
  if (mayAsk(operation) || id in REPLACING) command.option(...YES_OPTION)
  // Commander writes ids in brackets, as if they were optional; here they are required.
  const ids = inPath.map(({ name }) => `<${name}>`)
  command.usage([...ids, ...(isCreationOfApplication(operation) ? ['[kind]'] : []), '[options]'].join(' '))
  const defaults = DEFAULTS[id] ?? {}
  const help = [
    description,
    isCreationOfApplication(operation) && kindHelp(),
    itemFields && `Columns: ${itemFields.join(', ')}`,
    body && bodyHelp(body, defaults),
  ]
  command
    .description(summary.replace(/^[A-Z]/, (letter) => letter.toLowerCase()))
    .addOption(outputOption())
    .option('--show-etag', 'writes the ETag to standard error, for --if-match')
    .addHelpText('after', help.flatMap((text) => (text ? `\n${text}` : [])).join('\n'))
    .action(() => runOperation({ command, operation, options }, context))
}

/** The command of an operation, with the option of each parameter that is not in the path. */
interface OperationCommand {
  readonly command: Command
  readonly operation: Operation
  readonly options: readonly (Operation['parameters'][number] & { readonly option: Option })[]
}

const pathParameters = ({ parameters }: Operation) =>
  parameters.filter((parameter) => parameter.in === 'path')

/** Sends the request that the arguments and options of a command say, and shows its response. */
async function runOperation(
  { command, operation, options }: OperationCommand,
  context: CommandContext,
): Promise<void> {
  const { id, body } = operation
  const inPath = pathParameters(operation)
  const given = (name: string) => command.getOptionValue(name)
  const valuesIn = (place: string) =>
    Object.fromEntries(
      options
        .filter((parameter) => parameter.in === place)
        .map(({ name, option }) => [name, given(option.attributeName())]),
    )
  const args = requireArguments(command, operation)
  const output = given('output') as (value: unknown, columns?: readonly string[]) => string
  const columns = given('columns') as readonly string[] | undefined
  if (columns !== undefined && output !== tableOf) throw new UsageError('--columns is for --output table')
  const { body: fields = undefined, listChanges = [] } = body
    ? await requestBody(
        body,
        { file: given('file') as string | undefined, set: (given('set') ?? []) as string[] },
        context,
        isCreationOfApplication(operation) ? applicationOfKind(command) : (DEFAULTS[id] ?? {}),
      )
    : {}
  if (listChanges.length > 0) readOperationOfLists(operation, listChanges)
  const { management } = await openSuite(context)
  const resolved = <T extends Readonly<Record<string, unknown>>>(values: T) =>
    withIds(values, management, context)
  const path = Object.fromEntries(inPath.map(({ name }, index) => [name, args[index]]))
  const input: RequestInput = {
    params: {
      path: await resolved(path),
      query: await resolved(valuesIn('query')),
      header: valuesIn('header'),
    },
    ...(fields && { body: await resolved(fields) }),
  }
  if (!given('yes')) await confirmRequest(operation, input, management, context)
  const { data, response } = given('all')
    ? { data: await requestAllPages(management, operation, input), response: undefined }
    : listChanges.length > 0
      ? await requestListChanges(management, operation, input, listChanges)
      : await request(management, operation, input)
  if (data !== undefined) context.say(output(data, columns ?? columnsOf(operation)))
  const { nextCursor } = Object(data) as { nextCursor?: string }
  if (nextCursor !== undefined) context.note(`there are more: --all, or --cursor ${nextCursor}`)
  const etag = response?.headers.get('etag')
  if (given('showEtag') && etag) context.note(`etag: ${etag}`)
}

/** The arguments of a command; throws UsageError when they are too few, too many or empty. */
function requireArguments(command: Command, operation: Operation): readonly string[] {
  const { args } = command
  const inPath = pathParameters(operation)
  const mostArguments = inPath.length + (isCreationOfApplication(operation) ? 1 : 0)
  if (args.length < inPath.length || args.length > mostArguments || args.includes('')) {
    const wanted = inPath.length === 0 ? 'no argument but options' : inPath.map(({ name }) => name).join(' ')
    const words = `signet ${commandWords(operation.id)}`
    throw new UsageError(`${words} takes ${wanted}; see ${words} --help`)
  }
  return args
}

/** Asks before a request that deletes something or takes settings back; rejects when it is not confirmed. */
async function confirmRequest(
  operation: Operation,
  input: RequestInput,
  management: Parameters<typeof confirmOperation>[2],
  context: CommandContext,
): Promise<void> {
  const { id, summary } = operation
  if (isDestructive(operation, input.body)) {
    await confirmOperation(operation, input, management, context)
  }
  if (id in REPLACING) {
    const taken = await membersTakenBack(operation, input, management)
    if (taken.length > 0) {
      const update = OPERATIONS[id.replace(/\.set$/, '.update') as keyof typeof OPERATIONS]
      const instead = update ? `; signet ${commandWords(update.id)} changes single members` : ''
      await requireYes(`${summary} as a whole and takes back ${taken.join(', ')}${instead}.`, context)
    }
  }
}

const isCreationOfApplication = ({ id }: Operation) => id === 'application.create'

const PROJECT_FLAGS = Object.entries(PROJECT_FIELDS).flatMap(([name, { kind }]) =>
  kind === 'flag' ? [name] : [],
)

/** The columns of a list without `--columns`: name and id, then the fields that are read most. */
const COLUMNS: Readonly<Record<string, string>> = {
  'organization.list': 'name id primaryDomain state createdAt',
  'user.list': 'userName id kind profile.displayName|name email.address state organizationId',
  'session.list': 'id authenticatedAt lastUsedAt expiresAt amr',
  'token.list': 'id roles createdAt expiresAt',
  'key.list': 'id publicKeyJwk.alg createdAt expiresAt',
  'application_key.list': 'id publicKeyJwk.alg createdAt expiresAt',
  'project.list': `name id organizationId ${PROJECT_FLAGS.join(' ')} createdAt`,
  'user_grant.list': 'id userId roles createdAt',
  'user.list_grants': 'id projectId roles createdAt',
  'user.roles': 'roles pendingRoles source organizationName projectName projectId userGrantId',
  'application.access': 'userName displayName userId roles state organizationId',
  'application.list': 'name clientId type authMethod redirectUris state projectId',
  'granted_project.list': 'name projectId organizationId accepted',
  'offered_role.list': 'organizationName organizationId projectName projectId roles',
  'audit.list': 'at action result actor target organizationId service',
}

/** `--columns`, checked against the fields of the items. */
const columnsOption = (fields: readonly string[]) =>
  new Option('--columns <names>', 'the columns of the table, separated by commas').argParser(
    (names): readonly string[] =>
      names.split(',').map((name) => {
        const known = fields.some((field) => field === name || field.startsWith(`${name}.`))
        // Objects without a schema, such as the details of an audit event, have members of their own.
        if (known || fields.some((field) => name.startsWith(`${field}.`))) return name
        throw new UsageError(`--columns: "${name}" is not a column; there are ${fields.join(', ')}`)
      }),
  )

export function columnsOf({ id, itemFields }: Operation): readonly string[] | undefined {
  return COLUMNS[id]?.split(' ') ?? itemFields
}
