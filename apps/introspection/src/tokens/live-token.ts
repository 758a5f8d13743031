import type { Clock } from '@signet/service-runtime/clock'
import type { KnownToken, ReadKnownToken } from './remembered-tokens.ts'

/**
 * An access token that is ours, unexpired and not revoked at the moment of the call; undefined for everything else,
 * without a hint why. Rejects when neither mirror nor database can say whether it was revoked.
 */
export type FindLiveToken = (token: string) => Promise<KnownToken | undefined>

export function findLiveToken(deps: {
  readonly readToken: ReadKnownToken
  readonly now: Clock
}): FindLiveToken {
  return async (value) => {
    const read = await deps.readToken(value)
    if (read === undefined) return undefined
    if (read.token.expiresAt * 1000 <= deps.now().getTime()) return undefined
    return (await read.hasEnded()) ? undefined : read
  }
}
