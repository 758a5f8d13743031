import { sealTokens } from '../stage/token-seal.ts'
import { tokensOfPeer } from './peer-requests.ts'
import { formRequest, limitOf, usingUp } from './requests.ts'
import type { LoadRow } from './row.ts'
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
  budgets: [
    { of: 'limit', atLeast: 0.5 },
    { of: 'peer', atLeast: 1 },
  ],
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
    const tokens = { row: 'revoke', mostPerSecond: MOST_PER_SECOND, status: 200 }
    return [
      {
        name: 'signet',
        pids: [stage.signet.replica('token').pid],
        ...usingUp(stage, {
          ...tokens,
          fresh: own,
          requestOf: (token) => formRequest(at, path, { clientId: 'web', form: { token } }),
        }),
      },
      {
        name: 'peer',
        pids: [stage.peer.pid],
        ...usingUp(stage, {
          ...tokens,
          fresh: theirs,
          requestOf: (token) =>
            formRequest(stage.peer.origin, '/token/revocation', { clientId: 'web', form: { token } }),
        }),
      },
      await limitOf(stage, { name: 'revoke', work: 'update', like: sample, answer }),
    ]
  },
}
