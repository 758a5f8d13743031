import { openSuite } from './access/suite-access.ts'
import type { AddCommand, CommandContext } from './context.ts'
import { CommandError } from './exit-codes.ts'
import { outputOption, table, tableOf } from './output.ts'

/** The answer of a service that sealed its values, or a part of them, under its newest master key. */
interface Rewrapped {
  readonly rewrapped: number
  readonly unreadable?: number
  /** False when the call has to be repeated. */
  readonly done?: boolean
}

/** The services with values under a master key, and where each rewraps them. */
const SERVICES = {
  keys: '/management/v1/keys/rewrap',
  directory: '/management/v1/secrets/rewrap',
  migration: '/admin/v1/jobs/rewrap',
}

/** `secrets rewrap`: seals every stored value under the newest master key of its service. */
export function addSecretCommands(add: AddCommand, context: CommandContext): void {
  add('secrets rewrap')
    .description(
      'seals every stored value under the first master key of its service: keys, directory, migration',
    )
    .addOption(outputOption())
    .action(async ({ output }) => {
      const suite = await openSuite(context)
      const results: Record<string, { rewrapped: number; unreadable: number }> = {}
      for (const [service, path] of Object.entries(SERVICES)) {
        let [rewrapped, unreadable, done] = [0, 0, false]
        while (!done) {
          const response = await suite.call({ method: 'POST', path, repeatable: true })
          const part = (await response.json()) as Rewrapped
          rewrapped += part.rewrapped
          unreadable = part.unreadable ?? 0
          done = part.done ?? true
        }
        results[service] = { rewrapped, unreadable }
      }
      const rows = Object.entries(results).map(([service, counts]) => [
        service,
        ...Object.values(counts).map(String),
      ])
      context.say(
        output === tableOf ? table([['SERVICE', 'REWRAPPED', 'UNREADABLE'], ...rows]) : output(results),
      )
      if (Object.values(results).some(({ unreadable }) => unreadable > 0)) {
        throw new CommandError(
          'jobNotDone',
          'some values open under none of the master keys; add the key that sealed them to the list',
        )
      }
    })
}
