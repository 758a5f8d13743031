import type { RevocationReader } from '@signet/revocation-reader/revocation-reader'
import { revocationFactsOf } from '@signet/token-format/access-token'
import type { ReadToken } from './access-token-reader.ts'

/**
 * Whether a token was revoked, or whatever it was exchanged for was: one look at the mirror for the token, one more
 * for each of those. Rejects as `isEnded` does.
 */
export async function hasEnded(
  revocations: Pick<RevocationReader, 'isEnded'>,
  { token, kid }: Pick<ReadToken, 'token' | 'kid'>,
): Promise<boolean> {
  const facts = [revocationFactsOf(token, kid), ...(token.origins ?? [])]
  const ended = await Promise.all(facts.map((each) => revocations.isEnded(each)))
  return ended.includes(true)
}
