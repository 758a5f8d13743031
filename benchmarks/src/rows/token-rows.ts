// Rows of the token and revocation endpoints.

import type { Lane } from '../load/lane.ts'
import type { Stage } from '../stage/stage.ts'
import { sealTokens } from '../stage/token-seal.ts'
import { plainRow } from './plain-row.ts'
import { formRequest, getRequest, limitOf, usingUp } from './requests.ts'
import { freshToken, isAnyToken, isSealed, isSignedWith, sameToken } from './right-answers.ts'
import type { Contender, LoadRow } from './row.ts'
import { codeFlow, requireTokens, signetEndpoints, signIn, tokensOfPeer, tokensOfSignIn } from './sign-in.ts'

const FORM = { grant_type: 'client_credentials' }
const PATH = '/oauth/v2/token'

export const clientCredentials = plainRow({
  name: 'client-credentials',
  title: 'client_credentials, opaque',
  limit: 'reads the form, answers the same bytes',
  work: 'answer',
  budgets: [{ of: 'peer', atLeast: 1.5 }],
  service: 'token',
  signet: async ({ signet }) => ({
    request: formRequest(signet.originOf('token'), PATH, { clientId: 'backend', form: FORM }),
    expect: freshToken(isSealed),
    expectOfLimit: sameToken(isSealed),
  }),
  peer: async ({ peer }) => ({
    request: formRequest(peer.origin, '/token', { clientId: 'web', form: FORM }),
    expect: freshToken(isAnyToken),
  }),
})

/** Creates the row of a JWT under this algorithm, against one raw signature of the same size off the event loop. */
function signedClientCredentials(alg: 'RS256' | 'ES256', atLeast: number) {
  return plainRow({
    name: `client-credentials-${alg.toLowerCase()}`,
    title: `client_credentials, JWT (${alg})`,
    limit: `reads the form, makes one ${alg} signature in the thread pool`,
    work: alg,
    budgets: [{ of: 'limit', atLeast }],
    service: 'token',
    async signet({ signet, connections }) {
      const keySet = await connections.send(getRequest(signet.originOf('keys'), '/oauth/v2/keys'))
      return {
        request: formRequest(signet.originOf('token'), PATH, {
          clientId: `backend-${alg.toLowerCase()}`,
          form: FORM,
        }),
        expect: freshToken(isSignedWith(alg, keySet.body)),
        expectOfLimit: sameToken(isSignedWith(alg, keySet.body)),
      }
    },
  })
}

export const clientCredentialsRs256 = signedClientCredentials('RS256', 0.85)
export const clientCredentialsEs256 = signedClientCredentials('ES256', 0.6)

const REFRESH_CLIENT = 'web-es256'

/** Each client uses its own refresh token again and again: a new one every time, stored by a commit before the answer. */
export const refresh: LoadRow = {
  kind: 'load',
  name: 'refresh',
  title: 'refresh with rotation, ID token ES256',
  limit: 'reads the form, does one guarded UPDATE, answers the same bytes',
  budgets: [{ of: 'limit', atLeast: 0.6 }],
  open: refreshContenders,
}

async function refreshContenders(stage: Stage): Promise<readonly Contender[]> {
  const { signet, peer, connections, sizes } = stage
  const cookie = await signIn(stage, REFRESH_CLIENT)
  const families = await Promise.all(
    Array.from({ length: sizes.lanes + 1 }, () =>
      codeFlow(signetEndpoints(stage), { clientId: REFRESH_CLIENT, cookie }, connections.send),
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
      lanes: (await tokensOfPeer(stage, 'refresh', sizes.lanes, REFRESH_CLIENT)).map((token) =>
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
  return formRequest(origin, path, { clientId: REFRESH_CLIENT, form })
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
