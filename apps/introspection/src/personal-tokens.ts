import { createHash } from 'node:crypto'
import type { DirectoryReader } from '@signet/directory-reader/directory-reader'
import type { Account, PersonalAccessToken } from '@signet/directory-reader/views'
import { RESERVED_PREFIXES, SCOPES } from '@signet/protocol/scopes'
import { personalTokenKeys } from '@signet/revocation-reader/endings'
import type { RevocationReader } from '@signet/revocation-reader/revocation-reader'

/** A personal access token that may be used now, and its owner. */
export interface LivePersonalToken {
  readonly token: PersonalAccessToken
  readonly account: Account
}

/** Undefined for a value that is no personal access token, and for a deleted or expired one or one of an inactive owner. */
export type FindPersonalToken = (value: string) => Promise<LivePersonalToken | undefined>

/**
 * A personal access token has no scopes of its own: it gives every claim of its owner, roles in the project of the
 * caller included, under each of the names of the claims.
 */
export const PERSONAL_TOKEN_SCOPES: readonly string[] = [
  ...SCOPES.filter((scope) => scope !== 'offline_access'),
  ...RESERVED_PREFIXES.map((prefix) => `${prefix}org:projects:roles`),
]

/** A bootstrap file may set any text of 32 characters or more. */
const MIN_LENGTH = 32
const MAX_LENGTH = 1_000

export function createFindPersonalToken(deps: {
  readonly directory: Pick<DirectoryReader, 'personalAccessToken' | 'account'>
  readonly revocations: Pick<RevocationReader, 'isEnded'>
  readonly now: () => Date
}): FindPersonalToken {
  return async (value) => {
    if (value.length < MIN_LENGTH || value.length > MAX_LENGTH) return undefined
    const token = await deps.directory.personalAccessToken(createHash('sha256').update(value).digest())
    if (token === undefined || !token.active) return undefined
    if (token.expiresAt !== null && token.expiresAt <= deps.now()) return undefined
    if (await deps.revocations.isEnded(personalTokenKeys(token.userId, token.tokenId))) return undefined
    const account = await deps.directory.account(token.userId)
    return account?.active ? { token, account } : undefined
  }
}
