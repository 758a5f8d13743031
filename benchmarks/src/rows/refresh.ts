import type { Lane } from '../load/lane.ts'
import type { Stage } from '../stage/stage.ts'
import { tokensOfPeer } from './peer-requests.ts'
import { formRequest, limitOf } from './requests.ts'
import { isSealed, sameToken } from './right-answers.ts'
import type { Contender, LoadRow } from './row.ts'
import { codeFlow, requireTokens, signIn } from './sign-in.ts'

/** The clients, by the algorithm of their ID tokens. */
const CLIENTS = { RS256: 'web', ES256: 'web-es256' } as const

const LIMITS = {
  update: 'reads the form, does one guarded UPDATE, answers the same bytes',
  'update-and-RS256': 'reads the form, does one guarded UPDATE, makes one RS256 signature in the thread pool',
} as const

interface RefreshOptions extends Pick<LoadRow, 'name' | 'title'> {
  /** Of the ID token. */
  readonly alg: keyof typeof CLIENTS
  readonly work: keyof typeof LIMITS
  readonly budgets?: LoadRow['budgets']
}

/** Each client turns its own refresh token over: a new one every time, kept by a commit before the answer. */
const refreshRow = ({ alg, work, budgets = [], ...row }: RefreshOptions): LoadRow => ({
  ...row,
  kind: 'load',
  limit: LIMITS[work],
  arrivalsPerSecond: 200,
  budgets,
  open: (stage) => contenders(stage, { alg, work }),
})

export const refresh = refreshRow({
  name: 'refresh',
  title: 'refresh with rotation, ID token ES256',
  alg: 'ES256',
  work: 'update',
  budgets: [{ of: 'limit', atLeast: 0.6 }],
})

/** With the algorithm of ID tokens that applications have when they ask for none. */
export const refreshRs256 = refreshRow({
  name: 'refresh-rs256',
  title: 'refresh with rotation, ID token RS256',
  alg: 'RS256',
  work: 'update',
})

/** The same, beside a limit that has an ID token to sign as well. */
export const refreshSigned = refreshRow({
  name: 'refresh-signed',
  title: 'refresh with rotation, ID token RS256, beside a limit that signs one too',
  alg: 'RS256',
  work: 'update-and-RS256',
})

async function contenders(
  stage: Stage,
  { alg, work }: Pick<RefreshOptions, 'alg' | 'work'>,
): Promise<readonly Contender[]> {
  const clientId = CLIENTS[alg]
  const { signet, peer, connections, sizes } = stage
  const cookie = await signIn(stage, clientId)
  const families = await Promise.all(
    Array.from({ length: sizes.lanes + 1 }, () => codeFlow(stage, { clientId, cookie }, connections.send)),
  )
  const [{ refresh_token: first } = { refresh_token: '' }, ...rest] = families
  const at = { origin: signet.originOf('token'), path: '/oauth/v2/token', alg }
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
        rotating({ origin: peer.origin, path: '/token', alg }, token),
      ),
    },
    await limitOf(stage, {
      name: `refresh-${clientId}-${work}`,
      work,
      like: sample,
      answer,
      expect: sameToken(isSealed),
    }),
  ]
}

interface TokenEndpoint {
  readonly origin: string
  readonly path: string
  readonly alg: RefreshOptions['alg']
}

function refreshRequest({ origin, path, alg }: TokenEndpoint, refreshToken: string) {
  const form = { grant_type: 'refresh_token', refresh_token: refreshToken }
  return formRequest(origin, path, { clientId: CLIENTS[alg], form })
}

function rotating(at: TokenEndpoint, first: string): Lane {
  let current = first
  let header: string | undefined
  return async (send) => {
    const { refresh_token: next, id_token } = await requireTokens(send, refreshRequest(at, current))
    if (next === current) throw new Error('the refresh token was not rotated')
    // Tokens under one key have the same header, so the check of the first covers the others.
    header ??= headerWith(at.alg, id_token)
    if (!id_token.startsWith(header)) throw new Error('the ID token is under another key')
    current = next
  }
}

function headerWith(alg: TokenEndpoint['alg'], token: string): string {
  const header = token.slice(0, token.indexOf('.') + 1)
  const found = JSON.parse(Buffer.from(header, 'base64url').toString()) as { readonly alg: string }
  if (found.alg !== alg) throw new Error(`the ID token is signed with ${found.alg}, not ${alg}`)
  return header
}
