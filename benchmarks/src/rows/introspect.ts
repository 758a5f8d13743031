import type { HttpRequest } from '../load/http-exchange.ts'
import { laneOf } from '../load/lane.ts'
import type { Stage } from '../stage/stage.ts'
import { tokensOfUsers } from '../stage/tokens-of-users.ts'
import { tokensOfPeer } from './peer-requests.ts'
import { plainRow } from './plain-row.ts'
import { formRequest, limitOf, sameLanes } from './requests.ts'
import { isSignedWith, sameBytes } from './right-answers.ts'
import type { Contender, LoadRow } from './row.ts'
import { tokensOfSignIn } from './sign-in.ts'

const LIMIT = 'reads the form, answers the same bytes'
const BUDGETS = [
  { of: 'limit', atLeast: 0.55 },
  { of: 'peer', atLeast: 2.5 },
] as const

const introspection = ({ signet }: Stage, token: string): HttpRequest =>
  formRequest(signet.originOf('introspection'), '/oauth/v2/introspect', { clientId: 'api', form: { token } })

async function introspectionAtPeer(stage: Stage) {
  const [token = ''] = await tokensOfPeer(stage, 'access', 1)
  return {
    request: formRequest(stage.peer.origin, '/token/introspection', { clientId: 'web', form: { token } }),
    expect: sameBytes({ active: true, token_type: 'Bearer' }),
  }
}

export const introspect = plainRow({
  name: 'introspect',
  title: 'introspect an opaque token, always the same one',
  limit: LIMIT,
  work: 'answer',
  arrivalsPerSecond: 1_000,
  budgets: BUDGETS,
  service: 'introspection',
  peer: introspectionAtPeer,
  async signet(stage) {
    const { access_token } = await tokensOfSignIn(stage)
    return { request: introspection(stage, access_token), expect: sameBytes({ active: true, sub: 'alice' }) }
  },
})

export const introspectJwt = plainRow({
  name: 'introspect-jwt',
  title: 'introspect a JWT access token (RS256), always the same one',
  limit: LIMIT,
  work: 'answer',
  arrivalsPerSecond: 1_000,
  budgets: [],
  service: 'introspection',
  async signet(stage) {
    const { access_token } = await tokensOfSignIn(stage, 'web-jwt')
    const keySet = await stage.connections.send({
      origin: stage.signet.originOf('keys'),
      path: '/oauth/v2/keys',
      method: 'GET',
      headers: {},
    })
    if (!isSignedWith('RS256', keySet.body)(access_token)) throw new Error('the token is no JWT')
    return { request: introspection(stage, access_token), expect: sameBytes({ active: true, sub: 'alice' }) }
  },
})

/** Each request brings the token of the next user, so what is remembered of one helps only a round later. */
export const introspectUsers: LoadRow = {
  kind: 'load',
  name: 'introspect-users',
  title: 'introspect opaque tokens, each of another user',
  limit: LIMIT,
  arrivalsPerSecond: 1_000,
  budgets: BUDGETS,
  async open(stage) {
    const users = await tokensOfUsers(stage)
    let turn = 0
    let sub = ''
    const signet: Contender = {
      name: 'signet',
      pids: [stage.signet.replica('introspection').pid],
      lanes: sameLanes(stage, async (send) => {
        const user = users[turn % users.length]
        turn += 1
        const lane = laneOf(
          () => introspection(stage, user?.token ?? ''),
          ({ status, body }) => {
            const found = JSON.parse(body) as Record<string, unknown>
            sub = String(found.sub)
            return status === 200 && found.active === true && sub === user?.userId
          },
        )
        await lane(send)
      }),
    }
    const request = introspection(stage, users[0]?.token ?? '')
    const answer = await stage.connections.send(request)
    const peerTokens = await tokensOfPeer(stage, 'access', Math.min(users.length, 5_000))
    let peerTurn = 0
    const peer: Contender = {
      name: 'peer',
      pids: [stage.peer.pid],
      lanes: sameLanes(
        stage,
        laneOf(
          () => {
            peerTurn += 1
            const token = peerTokens[peerTurn % peerTokens.length] ?? ''
            return formRequest(stage.peer.origin, '/token/introspection', {
              clientId: 'web',
              form: { token },
            })
          },
          ({ status, body }) => status === 200 && JSON.parse(body).active === true,
        ),
      ),
    }
    return [
      signet,
      peer,
      await limitOf(stage, { name: 'introspect-users', work: 'answer', like: request, answer }),
    ]
  },
}
