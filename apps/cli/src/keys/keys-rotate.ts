import type { Command } from '../command.ts'
import { commandArguments } from '../command-arguments.ts'
import { moment } from '../output/table.ts'
import { keyApi } from './key-api.ts'

/** Lets the next keys take over ahead of their time. */
export const keysRotate: Command = {
  synopsis: '[--ring RING] [--algorithm ALGORITHM]',
  summary:
    'lets the next key take over, in the signing ring and for all its algorithms unless told otherwise',
  async run(args, { say, now, ...context }) {
    const options = { ring: { type: 'string' }, algorithm: { type: 'string' } } as const
    const wanted = commandArguments({ args: [...args], options }).values
    const keys = await keyApi(context).rotate(wanted)
    for (const { kid, ring, algorithm, retireAt } of keys.filter(({ state }) => state === 'active')) {
      const heir = keys.find((key) => key.algorithm === algorithm && key.activeAt === retireAt)
      // A key that was announced a moment ago is not in every cache yet.
      const soon = Date.parse(retireAt) - now().getTime() < 3_600_000 && heir !== undefined
      say(
        soon
          ? `${ring} ${algorithm}: ${heir.kid} takes over at ${moment(retireAt)}, when every cache holds it`
          : `${ring} ${algorithm}: ${kid} is active until ${moment(retireAt)}`,
      )
    }
  },
}
