import { createHash } from 'node:crypto'
import type { DirectoryReader } from '@signet/directory-reader/directory-reader'
import type { Account, PersonalAccessToken } from '@signet/directory-reader/views'
import type { Clock } from '@signet/platform/runtime/clock'
import { RESERVED_PREFIXES, SCOPES } from '@signet/protocol/scopes'
import { personalTokenKeys } from '@signet/revocation-reader/endings'
import {
  type Check,
  createEndCheck,
  type RevocationReader,
} from '@signet/revocation-reader/revocation-reader'
import type { AccessToken } from '@signet/tokens/access-token'
import type { ReadAccessToken } from '@signet/tokens/access-token-reader'
import { LRUCache } from 'lru-cache'

/** An access token that was decrypted or verified, and the check whether it has been revoked. */
export interface KnownToken {
  readonly token: AccessToken
  readonly hasEnded: Check
  /** When it was decrypted or verified, in milliseconds of `elapsed`. */
  readonly readAt: number
}

/**
 * Finds access tokens. A resource server checks the same token with each of its requests, so a cached token is not
 * decrypted or verified again for a minute. Its content never changes; each call checks whether it has been revoked,
 * its key included. Its sealed plaintext is not cached: a caller that checks the origin of a token opens it again.
 */
export interface AccessTokens {
  /**
   * An access token that is ours, unexpired and not revoked at the moment of the call; undefined for everything else,
   * without a hint why. Rejects when neither the revocation set nor PostgreSQL can say whether it was revoked.
   */
  find(value: string): Promise<KnownToken | undefined>
  /** Caches a token that `find` returned; for callers that cache no response. */
  cache(value: string, token: KnownToken): void
}

/**
 * Time for which rows of the directory are cached as well: a key that was withdrawn without an emergency opens
 * nothing after that.
 */
const MAX_AGE_MS = 60_000
/** Limit of cached tokens, 25 MB at most. Only valid tokens are cached, so a client cannot evict them by guessing. */
const MAX_TOKENS = 10_000

export function createAccessTokens(deps: {
  readonly read: ReadAccessToken
  readonly revocations: Pick<RevocationReader, 'checkOf'>
  readonly now: Clock
  /** The clock of the directory reader. */
  readonly elapsed: () => number
}): AccessTokens {
  const { read, revocations, now, elapsed } = deps
  // By size, since `max` allocates the whole cache at the start.
  const cached = new LRUCache<string, KnownToken>({ maxSize: MAX_TOKENS, sizeCalculation: () => 1 })

  async function readToken(value: string): Promise<KnownToken | undefined> {
    const readAt = elapsed()
    const known = cached.get(value)
    if (known !== undefined && readAt - known.readAt < MAX_AGE_MS) return known
    const found = await read(value)
    return found && { token: found.token, hasEnded: createEndCheck(revocations, found), readAt }
  }

  return {
    async find(value) {
      const known = await readToken(value)
      if (known === undefined || known.token.expiresAt * 1000 <= now().getTime()) return undefined
      return (await known.hasEnded()) ? undefined : known
    },
    cache: (value, token) => void cached.set(value, token),
  }
}

/** A personal access token that may be used now, and its owner. */
interface LivePersonalToken {
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
