import { createHash } from 'node:crypto'
import type { Request, Response } from 'express'

/** A public JSON document and the strong entity tag of exactly these bytes. */
export interface CacheableDocument {
  readonly body: string
  readonly etag: string
}

export function cacheableDocument(value: object): CacheableDocument {
  const body = JSON.stringify(value)
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url')}"` }
}

/** Answers the document, or 304 to whoever has it already. */
export function sendDocument(
  req: Request,
  res: Response,
  { body, etag }: CacheableDocument,
  maxAgeSeconds: number,
): void {
  res.setHeader('Cache-Control', `public, max-age=${maxAgeSeconds}`)
  res.setHeader('ETag', etag)
  if (hasIt(req.headers['if-none-match'], etag)) {
    res.statusCode = 304
    return void res.end()
  }
  res.setHeader('Content-Type', 'application/json')
  res.setHeader('Content-Length', Buffer.byteLength(body))
  // A text leaves in one piece with its headers, bytes would be a piece of their own.
  res.end(body)
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
