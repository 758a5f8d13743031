import { InvalidClientError, TemporarilyUnavailableError } from '@signet/oauth-protocol/errors'
import type { Redis } from '@signet/redis/client'
import { defineKeyspaces } from '@signet/redis/keyspaces'
import type { VerifiedAssertion } from './signed-assertion.ts'

const keyspaces = defineKeyspaces('token', {
  clientAssertion: {
    pattern: 'assertion:{clientId}:{replayId}',
    ttlSeconds: 'caller',
    holds:
      '"1": this assertion was used (RFC 7523 section 3); lost with Redis, it could be used again until its exp',
  },
})

/** Lets every assertion through once, on any number of replicas. */
export interface AssertionReplayGuard {
  /** Throws InvalidClientError for an assertion seen before and TemporarilyUnavailableError when it cannot tell. */
  admit(clientId: string, assertion: VerifiedAssertion, now: Date): Promise<void>
}

export function createAssertionReplayGuard(redis: Redis): AssertionReplayGuard {
  return {
    async admit(clientId, { replayId, expiresAt }, now) {
      const key = keyspaces.clientAssertion.key({ clientId, replayId })
      // RFC 7519 section 2: a NumericDate may have a fraction, a Redis TTL may not.
      const seconds = Math.max(1, Math.ceil(expiresAt - now.getTime() / 1000) + 10)
      const set = await redis.set(key, '1', 'EX', seconds, 'NX').catch((cause: unknown) => {
        throw new TemporarilyUnavailableError(
          'The assertion cannot be checked for reuse now; repeat the call',
          {
            reason: 'replay_guard_unreachable',
            cause,
          },
        )
      })
      if (set === 'OK') return
      throw new InvalidClientError('client_assertion was used before; make a new one for each call', {
        reason: 'assertion_replayed',
        basicTried: false,
      })
    },
  }
}
