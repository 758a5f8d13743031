import type { Lane } from '../load/lane.ts'
import type { Stage } from '../stage/stage.ts'
import { tokensOfPeer } from './peer-requests.ts'
import { formRequest, limitOf } from './requests.ts'
import { isSealed, sameToken } from './right-answers.ts'
import type { Contender, LoadRow } from './row.ts'
import { codeFlow, requireTokens, signetEndpoints, signIn } from './sign-in.ts'

const CLIENT = 'web-es256'

/** Each client uses its own refresh token again and again: a new one every time, stored by a commit before the answer. */
export const refresh: LoadRow = {
  kind: 'load',
  name: 'refresh',
  title: 'refresh with rotation, ID token ES256',
  limit: 'reads the form, does one guarded UPDATE, answers the same bytes',
  budgets: [{ of: 'limit', atLeast: 0.6 }],
  open: contenders,
}

async function contenders(stage: Stage): Promise<readonly Contender[]> {
  const { signet, peer, connections, sizes } = stage
  const cookie = await signIn(stage, CLIENT)
  const families = await Promise.all(
    Array.from({ length: sizes.lanes + 1 }, () =>
      codeFlow(signetEndpoints(stage), { clientId: CLIENT, cookie }, connections.send),
    ),
  )
  const [{ refresh_token: first } = { refresh_token: '' }, ...rest] = families
  const at = { origin: signet.originOf('token'), path: '/oauth/v2/token' }
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
      lanes: (await tokensOfPeer(stage, 'refresh', sizes.lanes, CLIENT)).map((token) =>
        rotating({ origin: peer.origin, path: '/token' }, token),
      ),
    },
    await limitOf(stage, {
      name: 'refresh',
      work: 'update',
      like: sample,
      answer,
      expect: sameToken(isSealed),
    }),
  ]
}

interface TokenEndpoint {
  readonly origin: string
  readonly path: string
}

function refreshRequest({ origin, path }: TokenEndpoint, refreshToken: string) {
  const form = { grant_type: 'refresh_token', refresh_token: refreshToken }
  return formRequest(origin, path, { clientId: CLIENT, form })
}

function rotating(at: TokenEndpoint, first: string): Lane {
  let current = first
  let header: string | undefined
  return async (send) => {
    const { refresh_token: next, id_token } = await requireTokens(send, refreshRequest(at, current))
    if (next === current) throw new Error('the refresh token was not rotated')
    // Tokens under one key have the same header, so the check of the first covers the others.
    header ??= headerOf(id_token)
    if (!id_token.startsWith(header)) throw new Error('the ID token is under another key')
    current = next
  }
}

function headerOf(token: string): string {
  const header = token.slice(0, token.indexOf('.') + 1)
  const found = JSON.parse(Buffer.from(header, 'base64url').toString()) as { readonly alg: string }
  if (found.alg !== 'ES256') throw new Error(`the ID token is signed with ${found.alg}`)
  return header
}
