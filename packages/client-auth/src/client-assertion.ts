import type { Client } from '@signet/directory-reader/views'
import { InvalidClientError } from '@signet/protocol/errors'
import { AssertionRefusal, type VerifiedAssertion, verifySignedAssertion } from './signed-assertion.ts'

/** Verifies an assertion of `client` (RFC 7523 section 2.2). Throws InvalidClientError naming the rule that was broken. */
export async function verifyAssertion(
  assertion: string,
  { clientId, keys }: Client,
  audiences: readonly string[],
  now: Date,
): Promise<VerifiedAssertion> {
  try {
    return await verifySignedAssertion(assertion, { id: clientId, keys }, audiences, now)
  } catch (error) {
    if (!(error instanceof AssertionRefusal)) throw error
    const { message, reason, cause } = error
    throw new InvalidClientError(`client_assertion is refused: ${message}`, {
      reason,
      basicTried: false,
      cause,
    })
  }
}
