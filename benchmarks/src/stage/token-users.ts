import { tokensOfSignIn } from '../rows/sign-in.ts'
import { oneOrganization, userIdOf } from './import-document.ts'
import { importUsers } from './migration.ts'
import type { Stage } from './stage.ts'
import { sealTokens } from './token-seal.ts'

export interface TokenOfUser {
  readonly userId: string
  readonly token: string
}

/** Many users of an organization of their own. */
export interface TokenUsers {
  readonly size: number
  /** New access tokens, each of a session of its own, of the users in turn. */
  tokens(count: number): Promise<readonly TokenOfUser[]>
}

const ORGANIZATION = 'token-users'

const tokenUsers = new WeakMap<Stage, Promise<TokenUsers>>()

/** The fixture users of a stage, created on the first call. */
export function tokenUsersOf(stage: Stage): Promise<TokenUsers> {
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
