import { parseLoginName, resolveLoginName } from '../credentials/login-name.ts'
import type { ManagementStores } from '../management/management-stores.ts'

/**
 * When it resolves, the failed sign-ins under these names make nobody wait. Rejects with ApiError UNAVAILABLE when that
 * cannot be done right now.
 */
export type ForgetFailures = (account: {
  readonly userId: string
  readonly loginNames: readonly string[]
}) => Promise<void>

/**
 * The names that mean this account wherever somebody types them. What several accounts go by is left out: whoever
 * administers one of them could lift the limit of the others, and try passwords without end.
 */
export async function ownLoginNames(
  { accounts, credentials }: Pick<ManagementStores, 'accounts' | 'credentials'>,
  userId: string,
): Promise<readonly string[]> {
  const names = await accounts.loginNames(userId)
  const meant = await Promise.all(
    names.map(async (name) =>
      resolveLoginName(await credentials.candidates(parseLoginName(name), undefined)),
    ),
  )
  return names.filter((_, at) => meant[at]?.userId === userId)
}
