import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Answer } from '@signet/http/endpoint'

/** A public JSON document and the strong entity tag of exactly these bytes. */
export interface CacheableDocument {
  readonly body: string
  readonly etag: string
}

export function cacheableDocument(value: object): CacheableDocument {
  const body = JSON.stringify(value)
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url')}"` }
}

/** The document, or 304 for a client that has it already. */
export function documentAnswer(
  { headers }: IncomingMessage,
  { body, etag }: CacheableDocument,
  maxAgeSeconds: number,
): Answer {
  const caching = ['Cache-Control', `public, max-age=${maxAgeSeconds}`, 'ETag', etag]
  return hasIt(headers['if-none-match'], etag)
    ? { status: 304, headers: caching, body: '' }
    : { status: 200, headers: [...caching, 'Content-Type', 'application/json'], body }
}

/**
 * RFC 9110 section 13.1.2, with the weak comparison. Express would ignore the header beside a `no-cache`, which
 * fetch adds by itself.
 */
function hasIt(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  return ifNoneMatch.split(',').some((entry) => {
    const tag = entry.trim()
    return tag === '*' || tag === etag || tag === `W/${etag}`
  })
}
