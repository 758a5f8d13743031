import { isIPv6 } from 'node:net'
import type { Clock } from '@signet/platform/runtime/clock'
import { RateLimitedError } from '@signet/protocol/errors'
import ipaddr from 'ipaddr.js'

/** Counts the recent uses of each key. */
export interface LeakyBucket {
  /** Seconds until the bucket of the key has room for so many uses; 0: now. Counts nothing. */
  waitSeconds(key: string, uses?: number): number
  /** Whether all buckets are, so that no key has to wait. */
  isEmpty(): boolean
  /** Counts uses, also those that should have waited. */
  fill(key: string, uses?: number): void
}

// Some megabytes at most; with more keys the least recently used one is dropped.
const MOST_KEYS = 20_000
const SECOND_MS = 1_000
// A third of a second has no exact number.
const ROUNDING_MS = 0.01

/**
 * A key may be used so many times at once, and as often in each window after that; the window is a second by default.
 * `now` is in milliseconds. More uses at once than a window has need an empty bucket.
 */
export function createLeakyBucket(
  perWindow: number,
  now: () => number,
  windowMs: number = SECOND_MS,
): LeakyBucket {
  const leakMs = windowMs / perWindow
  /** When the bucket of each key will be empty, in the order of their last use. */
  const emptyAt = new Map<string, number>()
  let allEmptyAt = 0

  return {
    waitSeconds(key, uses = 1) {
      const at = emptyAt.get(key)
      if (at === undefined) return 0
      const waitMs = at + leakMs * Math.min(uses, perWindow) - windowMs - now()
      return waitMs > ROUNDING_MS ? Math.ceil(waitMs / SECOND_MS) : 0
    },
    isEmpty: () => now() >= allEmptyAt,
    fill(key, uses = 1) {
      const time = now()
      const at = Math.max(emptyAt.get(key) ?? time, time)
      emptyAt.delete(key)
      const [oldest] = emptyAt.keys()
      if (emptyAt.size >= MOST_KEYS && oldest !== undefined) emptyAt.delete(oldest)
      const filledUntil = Math.min(at + leakMs * uses, time + windowMs)
      emptyAt.set(key, filledUntil)
      allEmptyAt = Math.max(allEmptyAt, filledUntil)
    },
  }
}

/** The addresses of one subscriber: an IPv4 address itself, and the /64 around one of IPv6. */
export function addressBlock(address: string): string {
  if (!isIPv6(address)) return address
  // Of zones (RFC 4007) ipaddr.js reads only some.
  const { parts } = ipaddr.IPv6.parse(address.replace(/%.*/, ''))
  return parts
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')
}

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

/** Attempt of a caller to authenticate as a client. */
interface Attempt {
  readonly clientId: string
  readonly clientAddress: string
}

/** Counts failed client authentications of one client from one address. A success costs nothing. */
export interface FailureLimit {
  /** Throws RateLimitedError (429) when there have been too many. */
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
