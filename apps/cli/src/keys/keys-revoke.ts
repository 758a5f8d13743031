import type { Command } from '../command.ts'
import { commandArguments } from '../command-arguments.ts'
import { UsageError } from '../usage-error.ts'
import { keyApi } from './key-api.ts'

/** Ends a key that somebody else may have, with everything that was made with it. */
export const keysRevoke: Command = {
  synopsis: 'KEY',
  summary:
    'ends a key that somebody else may have and everything made with it; the next key takes its place at once',
  async run(args, { say, ...context }) {
    const [kid, ...rest] = commandArguments({ args: [...args], allowPositionals: true }).positionals
    if (kid === undefined || rest.length > 0)
      throw new UsageError('name one key; signet keys list shows them')
    const { ring, algorithm } = await keyApi(context).revoke(kid)
    say(`${ring} ${algorithm}: ${kid} is revoked; what it made counts nowhere any more`)
  },
}
