import type { Lane } from '../load/lane.ts'
import type { Stage } from '../stage/stage.ts'
import { tokensOfPeer } from './peer-requests.ts'
import { formRequest, limitOf } from './requests.ts'
import type { Contender, LoadRow } from './row.ts'
import { codeFlow, requireTokens, signIn } from './sign-in.ts'

/** Each client turns its own refresh token over: a new one every time, kept by a commit before the answer. */
export const refresh: LoadRow = {
  kind: 'load',
  name: 'refresh',
  title: 'refresh with rotation',
  limit: 'reads the form, does one guarded UPDATE, answers the same bytes',
  arrivalsPerSecond: 200,
  budgets: [{ of: 'limit', atLeast: 0.6 }],
  open: (stage) => contenders(stage, 'update'),
}

/** The same, beside a limit that has an ID token to sign as well. */
export const refreshSigned: LoadRow = {
  kind: 'load',
  name: 'refresh-signed',
  title: 'refresh with rotation, beside a limit that signs an ID token too',
  limit: 'reads the form, does one guarded UPDATE, makes one RS256 signature in the thread pool',
  arrivalsPerSecond: 200,
  budgets: [],
  open: (stage) => contenders(stage, 'update-and-RS256'),
}

async function contenders(stage: Stage, work: 'update' | 'update-and-RS256'): Promise<readonly Contender[]> {
  const { signet, peer, connections, sizes } = stage
  const cookie = await signIn(stage)
  const families = await Promise.all(
    Array.from({ length: sizes.lanes + 1 }, () =>
      codeFlow(stage, { clientId: 'web', cookie }, connections.send),
    ),
  )
  const [{ refresh_token: first } = { refresh_token: '' }, ...rest] = families
  const sample = refreshRequest(signet.originOf('token'), '/oauth/v2/token', first)
  const answer = await connections.send(sample)
  return [
    {
      name: 'signet',
      pids: [signet.replica('token').pid],
      lanes: rest.map(({ refresh_token }) =>
        rotating(signet.originOf('token'), '/oauth/v2/token', refresh_token),
      ),
    },
    {
      name: 'peer',
      pids: [peer.pid],
      lanes: (await tokensOfPeer(stage, 'refresh', sizes.lanes)).map((token) =>
        rotating(peer.origin, '/token', token),
      ),
    },
    await limitOf(stage, { name: `refresh-${work}`, work, like: sample, answer }),
  ]
}

function refreshRequest(origin: string, path: string, refreshToken: string) {
  const form = { grant_type: 'refresh_token', refresh_token: refreshToken }
  return formRequest(origin, path, { clientId: 'web', form })
}

function rotating(origin: string, path: string, first: string): Lane {
  let current = first
  return async (send) => {
    const { refresh_token: next } = await requireTokens(send, refreshRequest(origin, path, current))
    if (next === current) throw new Error('the refresh token was not rotated')
    current = next
  }
}
