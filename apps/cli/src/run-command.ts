import { StartFailure } from '@signet/service-runtime/start-failure'
import { certsInit } from './certs/certs-init.ts'
import type { Command, CommandContext } from './command.ts'
import { keysList } from './keys/keys-list.ts'
import { keysPlan } from './keys/keys-plan.ts'
import { keysRevoke } from './keys/keys-revoke.ts'
import { keysRewrap } from './keys/keys-rewrap.ts'
import { keysRotate } from './keys/keys-rotate.ts'

const COMMANDS: Readonly<Record<string, Command>> = {
  'certs init': certsInit,
  'keys list': keysList,
  'keys plan': keysPlan,
  'keys rotate': keysRotate,
  'keys revoke': keysRevoke,
  'keys rewrap': keysRewrap,
}

/** Finds the command at the beginning of the arguments and runs it. Throws StartFailure when there is none. */
export async function runCommand(args: readonly string[], context: CommandContext): Promise<void> {
  if (args.length === 0 || args.includes('--help') || args.includes('-h')) return context.say(help())
  const name = Object.keys(COMMANDS).find((known) => `${args.join(' ')} `.startsWith(`${known} `))
  const command = name === undefined ? undefined : COMMANDS[name]
  if (name === undefined || command === undefined) {
    throw new StartFailure(`"${args.slice(0, 2).join(' ')}" is not a command; see signet --help`)
  }
  await command.run(args.slice(name.split(' ').length), context)
}

function help(): string {
  return Object.entries(COMMANDS)
    .map(([name, { usage }]) => `signet ${name} ${usage}`.replace(' \n', '\n'))
    .join('\n')
}
