import type { Clock } from '@signet/service-runtime/clock'
import type { AccessToken } from '@signet/token-format/access-token'
import type { ReadKnownToken } from './remembered-tokens.ts'

/**
 * An access token that is ours, unexpired and not revoked at the moment of the call; undefined for everything else,
 * without a hint why. Rejects when neither mirror nor database can say whether it was revoked.
 */
export type FindLiveToken = (token: string) => Promise<AccessToken | undefined>

export function findLiveToken(deps: {
  readonly readToken: ReadKnownToken
  readonly now: Clock
}): FindLiveToken {
  return async (value) => {
    const read = await deps.readToken(value)
    if (read === undefined) return undefined
    const { token, hasEnded } = read
    if (token.expiresAt * 1000 <= deps.now().getTime()) return undefined
    if (await hasEnded()) return undefined
    return token
  }
}
