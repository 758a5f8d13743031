import { openSuite } from './access/suite-access.ts'
import type { AddCommand, CommandContext } from './context.ts'
import { UsageError } from './exit-codes.ts'
import { requireYes, YES_OPTION } from './operations/confirmation.ts'
import { moment, table } from './output.ts'

/** A key as /management/v1/keys shows it; dates as ISO 8601 texts. */
export interface ShownKey {
  readonly kid: string
  readonly ring: string
  readonly algorithm: string
  readonly state: string
  readonly activeAt: string
  readonly retireAt: string
  readonly revokedAt?: string
  readonly next: { readonly state: string; readonly at: string }
}

/** `keys …`: lists, rotates, revokes and rewraps the keys of the suite. */
export function addKeyCommands(add: AddCommand, context: CommandContext): void {
  const { now, say } = context
  async function call<T>(method: string, path: string, body?: object): Promise<T> {
    const suite = await openSuite(context)
    const repeatable = method === 'GET'
    const response = await suite.call({ method, path: `/management/v1/keys${path}`, body, repeatable })
    return (await response.json()) as T
  }
  const listKeys = async () => (await call<{ keys: ShownKey[] }>('GET', '')).keys

  add('keys list')
    .description('shows every key with its state and when it is used')
    .option('--ring <ring>', 'only the keys of this ring')
    .action(async ({ ring }) => {
      const keys = (await listKeys()).filter((key) => ring === undefined || key.ring === ring)
      const rows = keys.map((key) => [
        ...[key.ring, key.algorithm, key.revokedAt === undefined ? key.state : 'revoked'],
        ...[moment(key.activeAt), moment(key.retireAt), key.kid],
      ])
      say(table([['RING', 'ALGORITHM', 'STATE', 'ACTIVE FROM', 'ACTIVE UNTIL', 'KEY'], ...rows]))
    })

  add('keys plan')
    .description('shows what happens to each key next, in the order of time')
    .action(async () => {
      const keys = [...(await listKeys())].sort((a, b) => (a.next.at < b.next.at ? -1 : 1))
      const rows = keys.map(({ kid, ring, algorithm, state, next }) => [
        ...[moment(next.at), ring, algorithm, state, next.state, kid],
      ])
      say(table([['WHEN', 'RING', 'ALGORITHM', 'FROM', 'TO', 'KEY'], ...rows]))
    })

  add('keys rotate')
    .description(
      'lets the next key take over, in the signing ring and for all its algorithms unless told otherwise',
    )
    .option('--ring <ring>', 'the ring')
    .option('--algorithm <algorithm>', 'only keys of this algorithm')
    .action(async (wanted) => {
      const { keys } = await call<{ keys: ShownKey[] }>('POST', '/rotate', wanted)
      for (const { kid, ring, algorithm, retireAt } of keys.filter(({ state }) => state === 'active')) {
        const successor = keys.find((key) => key.algorithm === algorithm && key.activeAt === retireAt)
        // A key that was just announced is not in every cache yet.
        const soon = Date.parse(retireAt) - now().getTime() < 3_600_000 && successor !== undefined
        say(
          soon
            ? `${ring} ${algorithm}: ${successor.kid} takes over at ${moment(retireAt)}, when every cache holds it`
            : `${ring} ${algorithm}: ${kid} is active until ${moment(retireAt)}`,
        )
      }
    })

  add('keys revoke')
    .description(
      'ends a key that somebody else may have and everything made with it; the next key takes its place at once',
    )
    .argument('[key]', 'the kid')
    .option(...YES_OPTION)
    .action(async (kid, { yes }) => {
      if (kid === undefined) throw new UsageError('name one key; signet keys list shows them')
      if (!yes) await requireYes(`Revokes the key ${kid} and everything made with it.`, context)
      const { key } = await call<{ key: ShownKey }>('POST', `/${encodeURIComponent(kid)}/revoke`)
      say(`${key.ring} ${key.algorithm}: ${key.kid} is revoked; what it made counts nowhere any more`)
    })

  add('keys rewrap')
    .description('seals every stored secret under the first key of SIGNET_KEYS_MASTER_KEY of the service')
    .action(async () => {
      const { rewrapped } = await call<{ rewrapped: number }>('POST', '/rewrap')
      say(
        rewrapped === 0
          ? 'every secret was under the newest master key already'
          : `${rewrapped} secrets rewrapped`,
      )
    })
}
