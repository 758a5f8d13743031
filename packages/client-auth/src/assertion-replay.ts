import type { Redis } from '@signet/platform/redis/connection'
import { defineKeyspaces } from '@signet/platform/redis/keyspaces'
import type { Clock } from '@signet/platform/runtime/clock'
import { InvalidClientError, TemporarilyUnavailableError } from '@signet/protocol/errors'
import type { AssertionReplayGuard } from './authenticate-client.ts'
import { SIGNER_TOLERANCE_SECONDS } from './signed-assertion.ts'

const keyspaces = defineKeyspaces('token', {
  clientAssertion: {
    pattern: 'assertion:{clientId}:{replayId}',
    ttlSeconds: 'caller',
    holds: '"1": this assertion was used (RFC 7523 section 3)',
  },
  assertionsSince: {
    pattern: 'assertions-since',
    ttlSeconds: 'never',
    holds:
      'seconds since 1970: used assertions that were issued from then on are recorded; lost with them, so that older ones are refused',
  },
})

/** An assertion is recorded for so long after its end: for as long as it is accepted, by clocks of replicas that differ. */
const KEPT_SECONDS = SIGNER_TOLERANCE_SECONDS + 10

/** Starts recording at once: assertions issued before a first start cannot have been used. */
export function createAssertionReplayGuard(redis: Redis, clock: Clock): AssertionReplayGuard {
  const sinceKey = keyspaces.assertionsSince.key({})

  async function beginAt(seconds: number): Promise<string> {
    await redis.set(sinceKey, seconds, 'NX')
    return (await redis.get(sinceKey)) ?? String(seconds)
  }

  async function record(key: string, ttlSeconds: number, now: Date) {
    await beginning
    // In this order: a loss between the two is seen by the second.
    const [set, since] = await Promise.all([redis.set(key, '1', 'EX', ttlSeconds, 'NX'), redis.get(sinceKey)])
    return {
      isNew: set === 'OK',
      since: Number(since ?? (await beginAt(secondsOf(now) + SIGNER_TOLERANCE_SECONDS))),
    }
  }

  const beginning = beginAt(secondsOf(clock())).catch(() => undefined)

  return {
    async admit(clientId, { replayId, issuedAt, expiresAt }, now) {
      const key = keyspaces.clientAssertion.key({ clientId, replayId })
      // RFC 7519 section 2: a NumericDate may have a fraction, a Redis TTL may not.
      const ttlSeconds = Math.max(1, Math.ceil(expiresAt - now.getTime() / 1000) + KEPT_SECONDS)
      const { isNew, since } = await record(key, ttlSeconds, now).catch((cause: unknown) => {
        throw new TemporarilyUnavailableError(
          'The assertion cannot be checked for reuse now; repeat the call',
          { reason: 'replay_guard_unreachable', cause },
        )
      })
      if (!isNew) {
        throw new InvalidClientError('client_assertion was used before; make a new one for each call', {
          reason: 'assertion_replayed',
          basicTried: false,
        })
      }
      if (issuedAt >= since) return
      throw new InvalidClientError(
        'client_assertion was issued before the server began to record used assertions; make a new one for each call',
        { reason: 'assertion_unrecorded', basicTried: false },
      )
    },
  }
}

const secondsOf = (time: Date) => Math.floor(time.getTime() / 1000)
