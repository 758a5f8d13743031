import type { Lane } from '../load/lane.ts'
import type { Stage } from '../stage/stage.ts'
import { tokensOfPeer } from './peer-requests.ts'
import { formRequest, limitOf } from './requests.ts'
import type { Contender, LoadRow } from './row.ts'
import { codeFlow, requireTokens, signIn } from './sign-in.ts'

type ClientId = 'web' | 'web-es256'

const LIMITS = {
  update: 'reads the form, does one guarded UPDATE, answers the same bytes',
  'update-and-RS256': 'reads the form, does one guarded UPDATE, makes one RS256 signature in the thread pool',
} as const

interface RefreshOptions extends Pick<LoadRow, 'name' | 'title'> {
  /** An application whose ID tokens are signed with the algorithm of the row. */
  readonly clientId: ClientId
  readonly work: keyof typeof LIMITS
  readonly budgets?: LoadRow['budgets']
}

/** Each client turns its own refresh token over: a new one every time, kept by a commit before the answer. */
const refreshRow = ({ clientId, work, budgets = [], ...row }: RefreshOptions): LoadRow => ({
  ...row,
  kind: 'load',
  limit: LIMITS[work],
  arrivalsPerSecond: 200,
  budgets,
  open: (stage) => contenders(stage, { clientId, work }),
})

export const refresh = refreshRow({
  name: 'refresh',
  title: 'refresh with rotation, ID token ES256',
  clientId: 'web-es256',
  work: 'update',
  budgets: [{ of: 'limit', atLeast: 0.6 }],
})

/** With the algorithm of ID tokens that applications have when they ask for none. */
export const refreshRs256 = refreshRow({
  name: 'refresh-rs256',
  title: 'refresh with rotation, ID token RS256',
  clientId: 'web',
  work: 'update',
})

/** The same, beside a limit that has an ID token to sign as well. */
export const refreshSigned = refreshRow({
  name: 'refresh-signed',
  title: 'refresh with rotation, ID token RS256, beside a limit that signs one too',
  clientId: 'web',
  work: 'update-and-RS256',
})

async function contenders(
  stage: Stage,
  { clientId, work }: Pick<RefreshOptions, 'clientId' | 'work'>,
): Promise<readonly Contender[]> {
  const { signet, peer, connections, sizes } = stage
  const cookie = await signIn(stage, clientId)
  const families = await Promise.all(
    Array.from({ length: sizes.lanes + 1 }, () => codeFlow(stage, { clientId, cookie }, connections.send)),
  )
  const [{ refresh_token: first } = { refresh_token: '' }, ...rest] = families
  const at = { origin: signet.originOf('token'), path: '/oauth/v2/token', clientId }
  const sample = refreshRequest(at, first)
  const answer = await connections.send(sample)
  return [
    {
      name: 'signet',
      pids: [signet.replica('token').pid],
      lanes: rest.map(({ refresh_token }) => rotating(at, refresh_token)),
    },
    {
      name: 'peer',
      pids: [peer.pid],
      lanes: (await tokensOfPeer(stage, 'refresh', sizes.lanes, clientId)).map((token) =>
        rotating({ origin: peer.origin, path: '/token', clientId }, token),
      ),
    },
    await limitOf(stage, { name: `refresh-${clientId}-${work}`, work, like: sample, answer }),
  ]
}

interface TokenEndpoint {
  readonly origin: string
  readonly path: string
  readonly clientId: ClientId
}

function refreshRequest({ origin, path, clientId }: TokenEndpoint, refreshToken: string) {
  const form = { grant_type: 'refresh_token', refresh_token: refreshToken }
  return formRequest(origin, path, { clientId, form })
}

function rotating(at: TokenEndpoint, first: string): Lane {
  let current = first
  return async (send) => {
    const { refresh_token: next } = await requireTokens(send, refreshRequest(at, current))
    if (next === current) throw new Error('the refresh token was not rotated')
    current = next
  }
}
