import { tokensOfSignIn } from '../rows/sign-in.ts'
import { userIdOf } from './import-document.ts'
import { importUsers } from './migration.ts'
import type { Stage } from './stage.ts'
import { sealTokens } from './token-seal.ts'

export interface TokenOfUser {
  readonly userId: string
  readonly token: string
}

/** Imports users and makes each of them an access token of a session of its own. */
export async function tokensOfUsers(stage: Stage): Promise<readonly TokenOfUser[]> {
  const organization = 'crowd'
  const { users } = stage.sizes
  await importUsers(stage.signet.originOf('migration'), organization, users)
  const { access_token } = await tokensOfSignIn(stage)
  const tokens = await sealTokens(stage, access_token, users, (token, index) => {
    const id = userIdOf(organization, index)
    const organizations = token.organizations.map((mark) => ({ ...mark, id: organization }))
    return {
      ...token,
      subject: id,
      user: { id, epoch: 0 },
      sid: id,
      grantId: `${token.grantId}-${index}`,
      organizations,
    }
  })
  return tokens.map((token, index) => ({ userId: userIdOf(organization, index), token }))
}
