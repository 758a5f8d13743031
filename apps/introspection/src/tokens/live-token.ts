import type { RevocationReader } from '@signet/revocation-reader/revocation-reader'
import type { Clock } from '@signet/service-runtime/clock'
import { type AccessToken, readAccessToken, revocationFactsOf } from '@signet/token-format/access-token'
import type { Opener } from '@signet/token-format/sealed-token'

/**
 * An access token that is ours, unexpired and not revoked at the moment of the call; undefined for everything else,
 * without a hint why. Rejects when neither mirror nor database can say whether it was revoked.
 */
export type FindLiveToken = (token: string) => Promise<AccessToken | undefined>

export function findLiveToken(deps: {
  readonly opener: Opener
  readonly revocations: RevocationReader
  readonly now: Clock
}): FindLiveToken {
  return async (value) => {
    const opened = deps.opener.open(value)
    if (opened === undefined) return undefined
    const token = readAccessToken(opened.plaintext)
    if (token.expiresAt * 1000 <= deps.now().getTime()) return undefined
    if (await deps.revocations.isEnded(revocationFactsOf(token, opened.kid))) return undefined
    return token
  }
}
