import type { RequestHandler } from 'express'
import type { HeaderList } from './endpoint.ts'

/** `NO_STORE` for a `Router`. */
export const noStore: RequestHandler = (_req, res, next) => {
  res.setHeader('Cache-Control', 'no-store')
  next()
}

/** Headers of answers that are data. Pages bring their own `Content-Security-Policy`, which replaces this one. */
const SECURITY_HEADERS: HeaderList = [
  ...['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ...['Referrer-Policy', 'no-referrer'],
  ...['X-Content-Type-Options', 'nosniff'],
]

/** RFC 6797 section 6.1: a year, for this host alone; other hosts of the domain are not ours to decide about. */
const STRICT_TRANSPORT: HeaderList = ['Strict-Transport-Security', 'max-age=31536000']

/** The headers of every response. A browser that has used https once never uses http for this host again. */
export function securityHeaders(issuer: string): HeaderList {
  return issuer.startsWith('https:') ? [...SECURITY_HEADERS, ...STRICT_TRANSPORT] : SECURITY_HEADERS
}
