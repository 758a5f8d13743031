import type { Command } from '../command.ts'
import { commandArguments } from '../command-arguments.ts'
import { moment, table } from '../output/table.ts'
import { keyApi } from './key-api.ts'

/** Every key with its state and when it is used. */
export const keysList: Command = {
  synopsis: '[--ring RING]',
  summary: 'shows every key with its state and when it is used',
  async run(args, { say, ...context }) {
    const options = { ring: { type: 'string' } } as const
    const { ring } = commandArguments({ args: [...args], options }).values
    const keys = (await keyApi(context).list()).filter((key) => ring === undefined || key.ring === ring)
    say(
      table([
        ['RING', 'ALGORITHM', 'STATE', 'ACTIVE FROM', 'ACTIVE UNTIL', 'KEY'],
        ...keys.map(({ kid, ring, algorithm, state, activeAt, retireAt, revokedAt }) => [
          ...[ring, algorithm, revokedAt === undefined ? state : 'revoked'],
          ...[moment(activeAt), moment(retireAt), kid],
        ]),
      ]),
    )
  },
}
