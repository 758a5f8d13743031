import { RateLimitedError } from '@signet/oauth-protocol/errors'
import { addressBlock } from '@signet/rate-limit/address-block'
import { createLeakyBucket } from '@signet/rate-limit/leaky-bucket'
import type { Clock } from '@signet/service-runtime/clock'

/** Counts what is stored for a caller who need not be signed in. Throws RateLimitedError for one who stores too much. */
export type CountStored = (clientAddress: string, stored: unknown) => void

/** As long as a pending request lives: so much of one address is in Redis at most, for each replica. */
const WINDOW_MS = 30 * 60_000
const BYTES_PER_ADDRESS = 4 * 1024 * 1024
/** What a record takes beside its value: its key and what Redis keeps of both. */
const RECORD_BYTES = 200

/**
 * Whoever sends requests of a real application may store them before they sign in. At 600 bytes each, one address
 * begins 7,000 sign-ins in half an hour.
 */
export function createStorageLimit(now: Clock): CountStored {
  const bucket = createLeakyBucket(BYTES_PER_ADDRESS, () => now().getTime(), WINDOW_MS)
  return (clientAddress, stored) => {
    const key = addressBlock(clientAddress)
    const retryAfterSeconds = bucket.waitSeconds(key)
    if (retryAfterSeconds > 0) {
      throw new RateLimitedError('Too many sign-ins were begun from this network address. Try again later.', {
        reason: 'storage_limited',
        retryAfterSeconds,
      })
    }
    bucket.fill(key, Buffer.byteLength(JSON.stringify(stored)) + RECORD_BYTES)
  }
}
