import type { Command } from '../command.ts'
import { commandArguments } from '../command-arguments.ts'
import { keyApi } from './key-api.ts'

/** Seals every stored secret under the newest master key. */
export const keysRewrap: Command = {
  synopsis: '',
  summary: 'seals every stored secret under the first key of SIGNET_KEYS_MASTER_KEY of the service',
  async run(args, { say, ...context }) {
    commandArguments({ args: [...args] })
    const count = await keyApi(context).rewrap()
    say(count === 0 ? 'every secret was under the newest master key already' : `${count} secrets rewrapped`)
  },
}
