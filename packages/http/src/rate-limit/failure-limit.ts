import type { Clock } from '@signet/platform/runtime/clock'
import { RateLimitedError } from '@signet/protocol/errors'
import { addressBlock } from './address-block.ts'
import { createLeakyBucket } from './leaky-bucket.ts'

/** Who tries to prove to be which client. */
interface Attempt {
  readonly clientId: string
  readonly clientAddress: string
}

/** Counts failed client authentications of one client from one address. A success costs nothing. */
export interface FailureLimit {
  /** Throws RateLimitedError (429) when there have been too many: nothing more is compared for now. */
  requireLeave(attempt: Attempt): void
  count(attempt: Attempt): void
}

const FAILURES_PER_SECOND = 20

/** docs/spec 4.10: 20 a second for each address and client. */
export function createFailureLimit(now: Clock): FailureLimit {
  const bucket = createLeakyBucket(FAILURES_PER_SECOND, () => now().getTime())
  return {
    requireLeave(attempt) {
      // The usual case: building the key takes longer than all the rest.
      if (bucket.isEmpty()) return
      const retryAfterSeconds = bucket.waitSeconds(keyOf(attempt))
      if (retryAfterSeconds === 0) return
      throw new RateLimitedError('too many failed client authentications; wait as long as Retry-After says', {
        reason: 'client_authentication_throttled',
        retryAfterSeconds,
      })
    },
    count(attempt) {
      bucket.fill(keyOf(attempt))
    },
  }
}

function keyOf({ clientId, clientAddress }: Attempt): string {
  return `${addressBlock(clientAddress)} ${clientId}`
}
