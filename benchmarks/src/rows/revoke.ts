import { laneOf } from '../load/lane.ts'
import { sealTokens } from '../stage/token-seal.ts'
import { tokensOfPeer } from './peer-requests.ts'
import { formRequest, limitOf, sameLanes } from './requests.ts'
import type { Contender, LoadRow } from './row.ts'
import { tokensOfSignIn } from './sign-in.ts'

/** More than either server can revoke. */
const MOST_PER_SECOND = 12_000
const PEER_AT_ONCE = 1_000

/** Each request ends another access token, on every replica, before it is answered. */
export const revoke: LoadRow = {
  kind: 'load',
  name: 'revoke',
  title: 'revoke an access token, final at the answer',
  limit: 'reads the form, does one guarded UPDATE, answers the same bytes',
  arrivalsPerSecond: 100,
  budgets: [],
  async open(stage) {
    const { access_token } = await tokensOfSignIn(stage)
    const at = stage.signet.originOf('token')
    const path = '/oauth/v2/revoke'
    const sample = formRequest(at, path, { clientId: 'web', form: { token: access_token } })
    const answer = await stage.connections.send(sample)

    const own = (count: number) => sealTokens(stage, access_token, count)
    const theirs = async (count: number) => {
      const tokens: string[] = []
      while (tokens.length < count) tokens.push(...(await tokensOfPeer(stage, 'access', PEER_AT_ONCE)))
      return tokens
    }
    const consuming = (
      fresh: (count: number) => Promise<readonly string[]>,
      requestOf: (token: string) => ReturnType<typeof formRequest>,
    ): Pick<Contender, 'lanes' | 'beforeTurn'> => {
      let tokens: string[] = []
      const next = () => {
        const token = tokens.pop()
        if (token === undefined)
          throw new Error(`revoke: over ${MOST_PER_SECOND} tokens a second; MOST_PER_SECOND has to be more`)
        return requestOf(token)
      }
      return {
        async beforeTurn(durationMs) {
          tokens = [...(await fresh(Math.ceil((durationMs / 1000) * MOST_PER_SECOND)))]
        },
        lanes: sameLanes(
          stage,
          laneOf(next, ({ status }) => status === 200),
        ),
      }
    }
    return [
      {
        name: 'signet',
        pids: [stage.signet.replica('token').pid],
        ...consuming(own, (token) => formRequest(at, path, { clientId: 'web', form: { token } })),
      },
      {
        name: 'peer',
        pids: [stage.peer.pid],
        ...consuming(theirs, (token) =>
          formRequest(stage.peer.origin, '/token/revocation', { clientId: 'web', form: { token } }),
        ),
      },
      await limitOf(stage, { name: 'revoke', work: 'update', like: sample, answer }),
    ]
  },
}
