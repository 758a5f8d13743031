import type { Lane } from '../load/lane.ts'
import type { Stage } from '../stage/stage.ts'
import { tokensOfPeer } from './peer-requests.ts'
import { formRequest, limitOf } from './requests.ts'
import type { Contender, LoadRow } from './row.ts'
import { codeFlow, requireTokens, signIn } from './sign-in.ts'

type Work = 'update' | 'update-and-RS256'
/** Of an application whose ID tokens are signed with that algorithm. */
type ClientId = 'web' | 'web-es256'

/** Each client turns its own refresh token over: a new one every time, kept by a commit before the answer. */
export const refresh: LoadRow = {
  kind: 'load',
  name: 'refresh',
  title: 'refresh with rotation, ID token ES256',
  limit: 'reads the form, does one guarded UPDATE, answers the same bytes',
  arrivalsPerSecond: 200,
  budgets: [{ of: 'limit', atLeast: 0.6 }],
  open: (stage) => contenders(stage, { clientId: 'web-es256', work: 'update' }),
}

/** The same with the algorithm of ID tokens that applications have when they ask for none. */
export const refreshRs256: LoadRow = {
  kind: 'load',
  name: 'refresh-rs256',
  title: 'refresh with rotation, ID token RS256',
  limit: 'reads the form, does one guarded UPDATE, answers the same bytes',
  arrivalsPerSecond: 200,
  budgets: [],
  open: (stage) => contenders(stage, { clientId: 'web', work: 'update' }),
}

/** The same, beside a limit that has an ID token to sign as well. */
export const refreshSigned: LoadRow = {
  kind: 'load',
  name: 'refresh-signed',
  title: 'refresh with rotation, ID token RS256, beside a limit that signs one too',
  limit: 'reads the form, does one guarded UPDATE, makes one RS256 signature in the thread pool',
  arrivalsPerSecond: 200,
  budgets: [],
  open: (stage) => contenders(stage, { clientId: 'web', work: 'update-and-RS256' }),
}

async function contenders(
  stage: Stage,
  { clientId, work }: { readonly clientId: ClientId; readonly work: Work },
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
