import type { Check, RevocationReader } from '@signet/revocation-reader/revocation-reader'
import { revocationFactsOf } from '@signet/tokens/access-token'
import type { ReadToken } from '@signet/tokens/access-token-reader'

/**
 * Whether a token was revoked, or one that it was exchanged for: one check for the token and one for each of those, all
 * by the same read of the log. Rejects as `isEnded` does.
 */
export function hasEnded(
  revocations: Pick<RevocationReader, 'checkOf'>,
  token: Pick<ReadToken, 'token' | 'kid'>,
): Promise<boolean> {
  return endCheckOf(revocations, token)()
}

/** The same for a token that is checked many times. */
export function endCheckOf(
  revocations: Pick<RevocationReader, 'checkOf'>,
  { token, kid }: Pick<ReadToken, 'token' | 'kid'>,
): Check {
  const ofToken = revocations.checkOf(revocationFactsOf(token, kid))
  if (token.origins === undefined) return ofToken
  const all = [ofToken, ...token.origins.map((origin) => revocations.checkOf(origin))]
  return async () => (await Promise.all(all.map((isEnded) => isEnded()))).includes(true)
}
