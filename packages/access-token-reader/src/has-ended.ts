import type { Check, RevocationReader } from '@signet/revocation-reader/revocation-reader'
import { revocationFactsOf } from '@signet/token-format/access-token'
import type { ReadToken } from './access-token-reader.ts'

/**
 * Whether a token was revoked, or whatever it was exchanged for was: one look at the mirror for the token, one more
 * for each of those. Rejects as `isEnded` does.
 */
export function hasEnded(
  revocations: Pick<RevocationReader, 'checkOf'>,
  token: Pick<ReadToken, 'token' | 'kid'>,
): Promise<boolean> {
  return endCheckOf(revocations, token)()
}

/** The same for whoever asks about the same token again and again. */
export function endCheckOf(
  revocations: Pick<RevocationReader, 'checkOf'>,
  { token, kid }: Pick<ReadToken, 'token' | 'kid'>,
): Check {
  const ofToken = revocations.checkOf(revocationFactsOf(token, kid))
  if (token.origins === undefined) return ofToken
  const all = [ofToken, ...token.origins.map((origin) => revocations.checkOf(origin))]
  return async () => (await Promise.all(all.map((isEnded) => isEnded()))).includes(true)
}
