import type { Clock } from '@signet/platform/runtime/clock'
import type { KnownToken, RememberedTokens } from './remembered-tokens.ts'

/**
 * An access token that is ours, unexpired and not revoked at the moment of the call; undefined for everything else,
 * without a hint why. Rejects when neither the revocation set nor PostgreSQL can say whether it was revoked.
 */
export type FindLiveToken = (token: string) => Promise<KnownToken | undefined>

export function findLiveToken(deps: {
  readonly readToken: RememberedTokens['read']
  readonly now: Clock
}): FindLiveToken {
  return async (value) => {
    const read = await deps.readToken(value)
    if (read === undefined) return undefined
    if (read.token.expiresAt * 1000 <= deps.now().getTime()) return undefined
    return (await read.hasEnded()) ? undefined : read
  }
}

/** The same for callers that cache no response: a token that is checked again is cached. */
export function rememberLiveTokens(find: FindLiveToken, { remember }: RememberedTokens): FindLiveToken {
  return async (value) => {
    const known = await find(value)
    if (known !== undefined) remember(value, known)
    return known
  }
}
