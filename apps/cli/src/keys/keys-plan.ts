import type { Command } from '../command.ts'
import { commandArguments } from '../command-arguments.ts'
import { moment, table } from '../output/table.ts'
import { keyApi } from './key-api.ts'

/** What will happen to each key next, in the order of time. */
export const keysPlan: Command = {
  synopsis: '',
  summary: 'shows what happens to each key next, in the order of time',
  async run(args, { say, ...context }) {
    commandArguments({ args: [...args] })
    const keys = await keyApi(context).list()
    say(
      table([
        ['WHEN', 'RING', 'ALGORITHM', 'FROM', 'TO', 'KEY'],
        ...keys
          .toSorted((a, b) => (a.next.at < b.next.at ? -1 : 1))
          .map(({ kid, ring, algorithm, state, next }) => [
            ...[moment(next.at), ring, algorithm, state, next.state, kid],
          ]),
      ]),
    )
  },
}
