import { endCheckOf } from '@signet/revocation-reader/has-ended'
import type { Check, RevocationReader } from '@signet/revocation-reader/revocation-reader'
import type { AccessToken } from '@signet/tokens/access-token'
import type { ReadAccessToken } from '@signet/tokens/access-token-reader'
import { seenLately } from './seen-lately.ts'

/** A token and how to ask whether it has ended. */
export interface KnownToken {
  readonly token: AccessToken
  readonly hasEnded: Check
  /** When it was opened or verified, in milliseconds of `elapsed`. */
  readonly readAt: number
}

export interface RememberedTokens {
  /**
   * As `ReadAccessToken`, without the sealed plaintext: a caller that checks the origin of a token opens it again.
   */
  readonly read: (value: string) => Promise<KnownToken | undefined>
  /** Called with a usable token when no other cache avoids reading it again. */
  readonly remember: (value: string, known: KnownToken) => void
}

/** As long as rows of the directory: a key that was given up without an emergency opens nothing after that. */
const MAX_AGE_MS = 60_000
/**
 * Of each generation; some 25 MB at most. Only valid tokens take a place, so a client cannot evict them by guessing.
 */
const TOKENS_PER_GENERATION = 5_000

/**
 * Does not open or verify again a token that it has read within the last minute: a resource server checks the same
 * token with each of its requests. A token is cached when it comes a second time. Its content never changes; the
 * caller checks each time whether it has been revoked, its key included.
 */
export function rememberTokens(deps: {
  readonly read: ReadAccessToken
  readonly revocations: Pick<RevocationReader, 'checkOf'>
  /** The clock of the directory reader. */
  readonly elapsed: () => number
}): RememberedTokens {
  let young = new Map<string, KnownToken>()
  let old: ReadonlyMap<string, KnownToken> = young
  const isKnown = seenLately()

  return {
    async read(value) {
      const readAt = deps.elapsed()
      const known = young.get(value) ?? old.get(value)
      if (known !== undefined && readAt - known.readAt < MAX_AGE_MS) return known
      const found = await deps.read(value)
      return found && { token: found.token, hasEnded: endCheckOf(deps.revocations, found), readAt }
    },
    remember(value, known) {
      if (young.get(value) === known || old.get(value) === known || !isKnown(value)) return
      // Whole generations go: to find the one least used of thousands would cost what this saves.
      if (young.size >= TOKENS_PER_GENERATION) {
        old = young
        young = new Map()
      }
      young.set(value, known)
    },
  }
}
