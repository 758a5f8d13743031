import { laneOf } from '../load/lane.ts'
import type { Stage } from '../stage/stage.ts'
import { type TokenOfUser, type TokenUsers, tokenUsersOf } from '../stage/token-users.ts'
import { BUDGETS, introspection, LIMIT } from './introspect.ts'
import { tokensOfPeer } from './peer-requests.ts'
import { formRequest, limitOf, sameLanes } from './requests.ts'
import type { Contender, LoadRow } from './row.ts'

/** Half of the time for which a response is cached; each user is introspected again within it. */
const ASKED_EVERY_MS = 30_000
/** Above the number of requests of any turn. */
const MOST_PER_SECOND = 20_000
const PEER_TOKENS = 5_000

/** Users whom resource servers ask about again and again, each at least once a minute. */
export const introspectUsers = usersRow({
  name: 'introspect-users',
  title: 'introspect opaque tokens, each of another user, each again within a minute',
  budgets: BUDGETS,
  async signet(stage, tokenUsers) {
    const users = await tokenUsers.tokens(tokenUsers.size)
    let next = 0
    let askedAt = Number.NEGATIVE_INFINITY
    const lanes = askingAbout(stage, () => users[next++ % users.length])
    return {
      lanes,
      async beforeTurn() {
        if (performance.now() - askedAt < ASKED_EVERY_MS) return
        askedAt = performance.now()
        const last = next + users.length
        await Promise.all(
          lanes.map(async (lane) => {
            while (next < last) await lane(stage.connections.send)
          }),
        )
      },
    }
  },
})

/** Each request has a new token of another user, so that no cache has it. */
export const introspectFirst = usersRow({
  name: 'introspect-first',
  title: 'introspect opaque tokens, each of another user and for the first time',
  budgets: [
    { of: 'limit', atLeast: 0.3 },
    { of: 'peer', atLeast: 1.2 },
  ],
  async signet(stage, tokenUsers) {
    let tokens: readonly TokenOfUser[] = []
    let next = 0
    return {
      lanes: askingAbout(stage, () => tokens[next++]),
      async beforeTurn(durationMs) {
        tokens = await tokenUsers.tokens(Math.ceil((durationMs / 1000) * MOST_PER_SECOND))
        next = 0
      },
    }
  },
})

function askingAbout(stage: Stage, nextUser: () => TokenOfUser | undefined): Contender['lanes'] {
  const sample = introspection(stage, '')
  return sameLanes(stage, async (send) => {
    const user = nextUser()
    if (user === undefined)
      throw new Error(`introspect: over ${MOST_PER_SECOND} tokens a second; MOST_PER_SECOND has to be more`)
    const { userId, token } = user
    const about = `"sub":"${userId}"`
    const lane = laneOf(
      // Nothing in a token needs to be encoded.
      () => ({ ...sample, body: `token=${token}` }),
      ({ status, body }) => status === 200 && body.includes('"active":true') && body.includes(about),
    )
    await lane(send)
  })
}

function usersRow({
  name,
  title,
  budgets,
  signet,
}: Pick<LoadRow, 'name' | 'title' | 'budgets'> & {
  readonly signet: (stage: Stage, tokenUsers: TokenUsers) => Promise<Pick<Contender, 'lanes' | 'beforeTurn'>>
}): LoadRow {
  return {
    kind: 'load',
    name,
    title,
    limit: LIMIT,
    budgets,
    async open(stage) {
      const tokenUsers = await tokenUsersOf(stage)
      const [example] = await tokenUsers.tokens(1)
      const request = introspection(stage, example?.token ?? '')
      const answer = await stage.connections.send(request)
      return [
        {
          name: 'signet',
          pids: [stage.signet.replica('introspection').pid],
          ...(await signet(stage, tokenUsers)),
        },
        await peerOf(stage, tokenUsers),
        await limitOf(stage, { name, work: 'answer', like: request, answer }),
      ]
    },
  }
}

async function peerOf(stage: Stage, tokenUsers: TokenUsers): Promise<Contender> {
  const tokens = await tokensOfPeer(stage, 'access', Math.min(tokenUsers.size, PEER_TOKENS))
  const sample = formRequest(stage.peer.origin, '/token/introspection', { clientId: 'web', form: {} })
  let next = 0
  return {
    name: 'peer',
    pids: [stage.peer.pid],
    lanes: sameLanes(
      stage,
      laneOf(
        () => ({ ...sample, body: `token=${tokens[next++ % tokens.length]}` }),
        ({ status, body }) => status === 200 && body.includes('"active":true'),
      ),
    ),
  }
}
