import { hash } from 'node:crypto'
import type { AccountCache, AccountCacheLimit } from '@signet/directory-reader/account-cache'
import type { Account, Client } from '@signet/directory-reader/views'
import type { Check } from '@signet/revocation-reader/revocation-reader'
import type { KnownToken } from './access-tokens.ts'

/** A cached response for an active token, and the check whether the token has been revoked since. */
export interface CachedResponse {
  readonly text: string
  /** Seconds. */
  readonly expiresAt: number
  readonly hasEnded: Check
  readonly projectId: string | null
}

/**
 * Caches serialized responses without roles until the account changes. Caching the text takes a fifth of the memory
 * of the decoded token.
 */
export interface ResponseCache {
  get(token: string, caller: Client): CachedResponse | undefined
  set(
    text: string,
    source: { readonly value: string; readonly known: KnownToken; readonly account: Account },
    caller: Client,
  ): void
}

/** The size of an entry without its text: its key, the check of its token, its place in the cache. */
const OVERHEAD_BYTES = 900
/** Limit for two thousand different tokens a second within the last minute. */
const MAX_BYTES = 160_000_000

/** The responses take a quarter of the heap of the process at most, and no more than is of use. */
export function responseCacheLimit(heapBytes: number): AccountCacheLimit<CachedResponse> {
  return {
    maxSize: Math.min(MAX_BYTES, Math.floor(heapBytes / 4)),
    sizeOf: ({ text }) => OVERHEAD_BYTES + text.length,
  }
}

export function createResponseCache(responses: AccountCache<CachedResponse>): ResponseCache {
  return {
    get(token, caller) {
      const cached = responses.get(keyOf(token, caller))
      return cached?.projectId === caller.projectId ? cached : undefined
    },
    set(text, { value, known: { token, hasEnded, readAt }, account }, caller) {
      const response = { text, expiresAt: token.expiresAt, hasEnded, projectId: caller.projectId }
      responses.set(keyOf(value, caller), response, { account, readAt })
    },
  }
}

/** The length separates id and token, so that no caller gets the response of another caller's token. */
function keyOf(token: string, { clientId }: Client): string {
  return hash('sha256', `${clientId.length} ${clientId}${token}`, 'base64url')
}
