import { RateLimitedError } from '@signet/oauth-protocol/errors'
import { addressBlock } from '@signet/rate-limit/address-block'
import { createLeakyBucket } from '@signet/rate-limit/leaky-bucket'
import type { Clock } from '@signet/service-runtime/clock'
import type { PasswordProof } from '../sign-in/password-proof.ts'

/** What the person has done for one request so far. */
export interface Progress {
  /** The session that the person signed in to for this very request. */
  readonly signedInSid?: string | undefined
  /** The session that the person chose among those of this browser. */
  readonly chosenSid?: string | undefined
  /** The session whose person has allowed what this very request asks for. */
  readonly consentedSid?: string | undefined
  /** A password that was right, of a sign-in that needs more. */
  readonly passwordProof?: PasswordProof | undefined
}

/** An authorization request that waits for a person. */
interface PendingAuthorization extends Progress {
  readonly browserHash: string
  /** As the client sent them; they are judged anew when the request goes on. */
  readonly parameters: Readonly<Record<string, string>>
}

export type PendingAuthorizations = PendingStore<PendingAuthorization>

/** Something that waits for a person's decision in one browser. */
export interface PendingStore<T> {
  /** Keeps a request under its id for the time its keyspace names. */
  create(requestId: string, pending: T): Promise<void>
  /** The request, or undefined when it is gone, finished, or another browser's. */
  load(requestId: string | undefined, browserId: string | undefined): Promise<T | undefined>
  /**
   * Changes a waiting request of this browser, and does not prolong its life; false when it has none. `change` is called
   * again with the new request when another writer was faster.
   */
  change(requestId: string, browserId: string | undefined, change: (pending: T) => T): Promise<boolean>
  /** Ends the request. Of any number of concurrent calls exactly one gets true. */
  finish(requestId: string): Promise<boolean>
}

/** Passes the parameters of a cross-site POST, which carries no cookie, on to a GET, which does. */
export interface PostedParameters {
  keep(parameters: Readonly<Record<string, string>>): Promise<string>
  /** The parameters under a handle; a second call for the same handle gets undefined. */
  take(handle: string): Promise<Readonly<Record<string, string>> | undefined>
}

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
