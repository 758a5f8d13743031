import { type Command, Option } from '@commander-js/extra-typings'
import { defaultOrganization, openSuite } from '../access/suite-access.ts'
import { ManagementApiError } from '../api/errors.ts'
import { OPERATIONS } from '../api/gen/operations.ts'
import { commandWords, type Operation } from '../api/operation.ts'
import type { AddCommand, CommandContext } from '../context.ts'
import { UsageError } from '../exit-codes.ts'
import { outputOption, tableOf } from '../output.ts'
import { addApplicationKinds, applicationOfKind, kindHelp } from './application-kinds.ts'
import { columnsOf, columnsOption } from './columns.ts'
import { confirmOperation, isDestructive, mayAsk, requireYes, YES_OPTION } from './confirmation.ts'
import { KINDS, withIds } from './identifiers.ts'
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

/** Operations that have a hand-written command: `login.ts`, `audit/`, `apply.ts`, `doctor.ts`, `impersonate.ts`, `provider-test.ts`, `secrets.ts`. */
const HAND_WRITTEN = [
  'audit.chain',
  'audit.export',
  'identity_provider.take_test',
  'identity_provider.test',
  'impersonation.create',
  'instance.apply',
  'instance.doctor',
  'me.read',
  'secrets.rewrap',
]

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
    .map((parameter) => ({ ...parameter, ...optionsOf(parameter) }))
  const inBody = referencesInBody(operation)
  for (const { name, description, schema } of inPath) {
    command.argument(`[${name}]`, sentence(description, schema))
  }
  command.allowExcessArguments()
  for (const { option, alias } of options) {
    command.addOption(option)
    if (alias) command.addOption(alias)
  }
  for (const field of inBody) command.option(`${flagOf(field)} <name>`, `${field}, as --set ${field}=NAME`)
  if (mayLeaveOutOrganization(operation))
    command.option('--organization <name>', 'in place of the first argument; without both that of signet use')
  if (parameters.some(({ name }) => name === 'cursor')) command.option('--all', 'all pages')
  if (itemFields !== undefined) command.addOption(columnsOption(itemFields))
  if (body !== undefined) {
    command
      .option('--file <file>', 'the body as YAML, JSON or a document in XML, - for standard input')
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

/** Whether a field or parameter takes a name as well as an id. */
const isReference = (field: string) => Object.hasOwn(KINDS, field) || field === 'targetId'

/** `organizationId` as `organization`. */
const withoutId = (field: string) => (isReference(field) ? field.replace(/Id$/, '') : field)

const flagOf = (field: string) => `--${optionName(withoutId(field))}`

/** The option of a parameter; where it takes a name, also its older form with `-id`, which the help leaves out. */
function optionsOf({ name, description, schema }: Operation['parameters'][number]) {
  const older = `--${optionName(name)}`
  const value = isReference(name) ? 'name' : older.split('-').at(-1)
  return {
    option: new Option(`${flagOf(name)} <${value}>`, sentence(description, schema)),
    alias: flagOf(name) === older ? undefined : new Option(`${older} <id>`).hideHelp(),
  }
}

/** The fields of the body that have an option because they take a name. */
function referencesInBody(operation: Operation): readonly string[] {
  const fields = Object.keys(operation.body?.schema.properties ?? {})
  // Its kinds have an option for the project.
  if (isCreationOfApplication(operation)) return []
  return fields.filter((field) => Object.hasOwn(KINDS, field))
}

/** Whether the organization of the path may be left out: nothing is deleted whose name was not typed. */
const mayLeaveOutOrganization = (operation: Operation) =>
  pathParameters(operation)[0]?.name === 'organizationId' && operation.id !== 'organization.delete'

/** Whether the body names the organization that gets the new object. */
const createsInOrganization = (operation: Operation) =>
  pathParameters(operation).length === 0 &&
  (operation.body?.schema.required?.includes('organizationId') ?? false)

/** The command of an operation, with the option of each parameter that is not in the path. */
interface OperationCommand {
  readonly command: Command
  readonly operation: Operation
  readonly options: readonly (Operation['parameters'][number] & ReturnType<typeof optionsOf>)[]
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
        .map(({ name, option, alias }) => [
          name,
          given(option.attributeName()) ?? (alias && given(alias.attributeName())),
        ]),
    )
  const args = await requireArguments(command, operation, context)
  const output = given('output') as (value: unknown, columns?: readonly string[]) => string
  const columns = given('columns') as readonly string[] | undefined
  if (columns !== undefined && output !== tableOf) throw new UsageError('--columns is for --output table')
  const { body: fields = undefined, listChanges = [] } = body
    ? await requestBody(
        body,
        { file: given('file') as string | undefined, set: (given('set') ?? []) as string[] },
        context,
        isCreationOfApplication(operation)
          ? applicationOfKind(command)
          : { ...DEFAULTS[id], ...(await referencesOf(command, operation, context)) },
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
  const send = async () => {
    if (!given('yes')) await confirmRequest(operation, input, management, context)
    if (given('all'))
      return { data: await requestAllPages(management, operation, input), response: undefined }
    return listChanges.length > 0
      ? requestListChanges(management, operation, input, listChanges)
      : request(management, operation, input)
  }
  const { data, response } = await send().catch((error: unknown) => {
    throw namingOrganization(error, input)
  })
  if (data !== undefined) context.say(output(data, columns ?? columnsOf(operation)))
  if (isCreationOfApplication(operation) && output === tableOf) noteClientId(data, context)
  const { nextCursor } = Object(data) as { nextCursor?: string }
  if (nextCursor !== undefined) context.note(`there are more: --all, or --cursor ${nextCursor}`)
  const etag = response?.headers.get('etag')
  if (given('showEtag') && etag) context.note(`etag: ${etag}`)
}

/** Says to a person which of the two ids of an application goes into its configuration. */
function noteClientId(data: unknown, { note }: CommandContext): void {
  const { id, clientId } = Object(data) as { id?: string; clientId?: string }
  if (id !== clientId) note(`client_id of the application is ${clientId}; its id, for commands, is ${id}`)
}

/** The same error; one about a missing role says for which organization, which may be the default one. */
function namingOrganization(error: unknown, { params, body }: RequestInput): unknown {
  const { organizationId } = { ...params.query, ...Object(body), ...params.path } as Body
  if (organizationId !== undefined && error instanceof ManagementApiError && error.status === 403)
    error.message = `${error.message}; tried for organization ${organizationId}`
  return error
}

/** The fields of the body that options of the command give, and the default organization of what is created in one. */
async function referencesOf(command: Command, operation: Operation, context: CommandContext): Promise<Body> {
  const given = referencesInBody(operation).flatMap((field) => {
    const value = command.getOptionValue(withoutId(field))
    return value === undefined ? [] : [[field, value]]
  })
  const organizationId = createsInOrganization(operation) ? await defaultOrganization(context) : undefined
  return { ...(organizationId !== undefined && { organizationId }), ...Object.fromEntries(given) }
}

/**
 * The arguments of a command; throws UsageError when they are too few, too many or empty. An organization that is left out is
 * that of the option or the default one.
 */
async function requireArguments(
  command: Command,
  operation: Operation,
  context: CommandContext,
): Promise<readonly string[]> {
  const inPath = pathParameters(operation)
  const isLeftOut = mayLeaveOutOrganization(operation) && command.args.length === inPath.length - 1
  const organization = isLeftOut
    ? ((command.getOptionValue('organization') as string | undefined) ?? (await defaultOrganization(context)))
    : undefined
  const args = organization === undefined ? command.args : [organization, ...command.args]
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
