import type { Clock } from '@signet/platform/runtime/clock'
import { RateLimitedError } from '@signet/protocol/errors'
import { addressBlock } from './address-block.ts'
import { createLeakyBucket } from './leaky-bucket.ts'

/** Counts a request of a caller; throws RateLimitedError (429) for one too many, which does not count. */
export type RequestLimit = (who: string) => void

/** The same for networks: all IPv6 addresses of a /64 are one. */
export function createNetworkLimit(perSecond: number | undefined, now: Clock): RequestLimit {
  const limit = createRequestLimit(perSecond, now)
  return (clientAddress) => limit(addressBlock(clientAddress))
}

/** Lets each caller make so many requests in a second, or any number where there is no limit or 0. */
export function createRequestLimit(perSecond: number | undefined, now: Clock): RequestLimit {
  if (perSecond === undefined || perSecond === 0) return () => undefined
  const bucket = createLeakyBucket(perSecond, () => now().getTime())
  return (who) => {
    const retryAfterSeconds = bucket.waitSeconds(who)
    if (retryAfterSeconds > 0) {
      throw new RateLimitedError('too many requests; wait as long as Retry-After says', {
        reason: 'rate_limited',
        retryAfterSeconds,
      })
    }
    bucket.fill(who)
  }
}
