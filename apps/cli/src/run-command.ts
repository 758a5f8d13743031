import type { CommandContext } from './command.ts'
import { COMMANDS } from './commands.ts'
import { helpOn } from './help.ts'
import { UsageError } from './usage-error.ts'

/** Finds the command at the beginning of the arguments and runs it. Throws UsageError when there is none. */
export async function runCommand(args: readonly string[], context: CommandContext): Promise<void> {
  if (args[0] === '--version') return context.say(`signet ${context.version}`)
  const asksForHelp = args.length === 0 || args.some((arg) => arg === '--help' || arg === '-h')
  if (asksForHelp) {
    const help = helpOn(
      args.filter((arg) => !arg.startsWith('-')),
      COMMANDS,
    )
    if (help === undefined) throw unknownCommand(args)
    return context.say(help)
  }
  const name = [args.slice(0, 2).join(' '), args[0] ?? ''].find((words) => Object.hasOwn(COMMANDS, words))
  const command = name === undefined ? undefined : COMMANDS[name]
  if (name === undefined || command === undefined) throw unknownCommand(args)
  await command.run(args.slice(name.split(' ').length), context)
}

function unknownCommand(args: readonly string[]): UsageError {
  const [noun = ''] = args
  const advice = helpOn([noun], COMMANDS) === undefined ? 'signet --help' : `signet ${noun} --help`
  return new UsageError(`"${args.slice(0, 2).join(' ')}" is not a command; see ${advice}`)
}
