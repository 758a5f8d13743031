import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { CommanderError, InvalidArgumentError } from 'commander'
import { addAdministratorCommand } from './administrator.ts'
import { addAppCommand } from './app/command.ts'
import { addApplyCommand } from './apply.ts'
import { addArchiveCommands } from './archive/commands.ts'
import { addAuditCommands } from './audit/commands.ts'
import { addBenchCommand } from './bench/command.ts'
import { addCompletionCommand } from './completion.ts'
import type { AddCommand, CommandContext } from './context.ts'
import { addCustomerCommand } from './customer.ts'
import { addDoctorCommand } from './doctor.ts'
import { EXITS, UsageError } from './exit-codes.ts'
import { addImpersonateCommand } from './impersonate.ts'
import { addInviteCommand } from './invite/command.ts'
import { addKeyCommands } from './keys.ts'
import { addLoginCommands } from './login.ts'
import { addChecklistCommand } from './migration/checklist-command.ts'
import { addExportCommand } from './migration/export-command.ts'
import { addImportCommand } from './migration/import-command.ts'
import { addJobCommands } from './migration/job-commands.ts'
import { addOperationCommands } from './operations/commands.ts'
import { fieldMeantBy } from './operations/operation-help.ts'
import { table } from './output.ts'
import { addProviderTestCommand } from './provider-test.ts'
import { addSecretCommands } from './secrets.ts'
import { addCertsCommand, addRedisAclCommand } from './server-credentials.ts'
import { addSizeCommand } from './size/command.ts'
import { nearest, nearestVerb } from './suggestions.ts'
import { addTrustCommand } from './trust.ts'
import { addWhyCommand } from './why.ts'
import { addWrapCommand } from './wrap.ts'

/** The command `signet` with every command below it. */
export function signetProgram(context: CommandContext): Command {
  const program = new Command('signet')
    .version(`signet ${context.version}`, '--version')
    .enablePositionalOptions()
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ writeOut: (text) => context.say(text.trimEnd()), writeErr: () => {} })
    .configureHelp({ subcommandTerm: (command) => pathOf(command) })
  const nouns = new Map<string, Command>()
  const add: AddCommand = (words) => {
    const [noun = '', verb] = words.split(' ')
    if (verb === undefined) return program.command(noun)
    const parent = nouns.get(noun) ?? program.command(noun)
    nouns.set(noun, parent)
    return parent.command(verb)
  }
  for (const addCommands of [
    addLoginCommands,
    addOperationCommands,
    addApplyCommand,
    addDoctorCommand,
    addWhyCommand,
    addProviderTestCommand,
    addImpersonateCommand,
    addAdministratorCommand,
    addInviteCommand,
    addCustomerCommand,
    addAppCommand,
    addTrustCommand,
    addKeyCommands,
    addSecretCommands,
    addWrapCommand,
    addExportCommand,
    addImportCommand,
    addJobCommands,
    addChecklistCommand,
    addArchiveCommands,
    addAuditCommands,
    addCertsCommand,
    addRedisAclCommand,
    addBenchCommand,
    addSizeCommand,
  ]) {
    addCommands(add, context)
  }
  addCompletionCommand(add, context, program)
  for (const noun of nouns.values()) {
    noun.description(noun.commands.map((command) => command.name()).join(', '))
  }
  refuseMissingValues(program)
  const codes = Object.values(EXITS).map(({ code, meaning }) => [`  ${code}`, meaning])
  return program.addHelpText('after', `\nExit codes:\n${table(codes)}`)
}

/** Refuses an option whose value is left out; else it takes the name of the next option for it. */
function refuseMissingValues(command: CommandUnknownOpts): void {
  for (const option of command.options) {
    const { parseArg = (value: string) => value } = option
    if (!option.required) continue
    option.argParser((value: string, previous: unknown) => {
      if (value.startsWith('--')) throw new InvalidArgumentError('its value is missing.')
      return parseArg(value, previous as never)
    })
  }
  for (const subcommand of command.commands) refuseMissingValues(subcommand)
}

/** Runs the command that the arguments name. Throws UsageError when there is none or its arguments are wrong. */
export async function runCommand(args: readonly string[], context: CommandContext): Promise<void> {
  const program = signetProgram(context)
  try {
    await program.parseAsync(args.length === 0 ? ['--help'] : args, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    // Help and version end the parser too.
    if (error.exitCode === 0) return
    throw usageErrorOf(error, program, args)
  }
}

function usageErrorOf({ code, message }: CommanderError, program: Command, args: readonly string[]) {
  if (code === 'commander.unknownCommand' || code === 'commander.help') {
    return new UsageError(unknownCommand(program, args))
  }
  if (code === 'commander.unknownOption') {
    const [, option = ''] = /'--([^'=]*)/.exec(message) ?? []
    const field = fieldMeantBy(option, args)
    if (field !== undefined) return new UsageError(`--${option} is no option; ${field}`)
  }
  const text = message
    .replace(/^error: /, '')
    .replace(/^too many arguments/, 'unexpected argument')
    .replaceAll('\n', ' ')
  return new UsageError(text.replace(/^[a-z]/, (letter) => letter.toUpperCase()))
}

/** Says which command was likely meant. */
function unknownCommand(program: Command, args: readonly string[]): string {
  const end = args.findIndex((arg) => arg.startsWith('-'))
  const [noun = '', verb] = args.slice(0, end < 0 ? 2 : Math.min(end, 2))
  const given = [noun, ...(verb === undefined ? [] : [verb])].join(' ')
  const nouns = program.commands.map((command) => command.name())
  const meant = nouns.includes(noun) ? noun : nearest(noun, nouns)
  const found = program.commands.find((command) => command.name() === meant)
  if (found === undefined) return `"${given}" is not a command; see signet --help`
  const verbs = found.commands.map((command) => command.name())
  if (verb === undefined && noun === meant) return `signet ${noun} takes one of ${verbs.join(', ')}`
  const meantVerb = verb === undefined || verbs.length === 0 ? undefined : nearestVerb(verb, verbs)
  if (noun === meant && meantVerb === undefined) {
    return `"${given}" is not a command; see ${pathOf(found)} --help`
  }
  const advice = [pathOf(found), ...(meantVerb === undefined ? [] : [meantVerb])].join(' ')
  return `"${given}" is not a command; did you mean ${advice}?`
}

const pathOf = (command: { name(): string; parent: unknown }): string => {
  const parent = command.parent as Command | null
  return parent === null ? command.name() : `${pathOf(parent)} ${command.name()}`
}
