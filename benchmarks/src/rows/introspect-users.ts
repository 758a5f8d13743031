import { laneOf } from '../load/lane.ts'
import { oneOrganization, userIdOf } from '../stage/import-document.ts'
import { importUsers } from '../stage/migration.ts'
import type { Stage } from '../stage/stage.ts'
import { sealTokens } from '../stage/token-seal.ts'
import { BUDGETS, introspection, LIMIT } from './read-rows.ts'
import { formRequest, limitOf, sameLanes } from './requests.ts'
import type { Contender, LoadRow } from './row.ts'
import { tokensOfPeer, tokensOfSignIn } from './sign-in.ts'

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

interface TokenOfUser {
  readonly userId: string
  readonly token: string
}

/** Many users of an organization of their own. */
interface TokenUsers {
  readonly size: number
  /** New access tokens, each of a session of its own, of the users in turn. */
  tokens(count: number): Promise<readonly TokenOfUser[]>
}

const ORGANIZATION = 'token-users'

const tokenUsers = new WeakMap<Stage, Promise<TokenUsers>>()

/** The fixture users of a stage, created on the first call. */
function tokenUsersOf(stage: Stage): Promise<TokenUsers> {
  const known = tokenUsers.get(stage)
  if (known !== undefined) return known
  const coming = importTokenUsers(stage)
  tokenUsers.set(stage, coming)
  return coming
}

async function importTokenUsers(stage: Stage): Promise<TokenUsers> {
  const { users: size } = stage.sizes
  await importUsers(stage.signet.originOf('migration'), oneOrganization(ORGANIZATION, size))
  const { access_token: example } = await tokensOfSignIn(stage)
  let made = 0
  return {
    size,
    async tokens(count) {
      const first = made
      made += count
      const userId = (index: number) => userIdOf(ORGANIZATION, (first + index) % size)
      const tokens = await sealTokens(stage, example, count, (token, index) => {
        const id = userId(index)
        const organizations = token.organizations.map((mark) => ({ ...mark, id: ORGANIZATION }))
        return {
          ...token,
          subject: id,
          user: { id, epoch: 0 },
          sid: id,
          grantId: `${token.grantId}-${first + index}`,
          organizations,
        }
      })
      return tokens.map((token, index) => ({ userId: userId(index), token }))
    },
  }
}
