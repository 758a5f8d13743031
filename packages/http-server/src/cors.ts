import type { RequestHandler } from 'express'

/**
 * Lets pages of any origin read a public document such as the key set. Without credentials, so a page learns nothing
 * that its own server could not fetch.
 */
export const publicCors: RequestHandler = (req, res, next) => {
  res.setHeader('Access-Control-Allow-Origin', '*')
  if (req.method !== 'OPTIONS') return next()
  res.setHeader('Access-Control-Allow-Methods', 'GET, HEAD')
  res.setHeader('Access-Control-Max-Age', '86400')
  res.status(204).end()
}

/** Who may say that pages of an origin belong to an application of the instance. */
export type IsRegisteredOrigin = (origin: string) => Promise<boolean>

// Longer than any origin: what is above it is none.
const LONGEST_ORIGIN = 300

/**
 * Lets pages of registered origins read an endpoint, refusals included. Without credentials: tokens travel in headers
 * and bodies that the page has put there itself, never in cookies.
 */
export function registeredCors(isRegistered: IsRegisteredOrigin, methods: readonly string[]): RequestHandler {
  return async (req, res, next) => {
    res.vary('Origin')
    const { origin } = req.headers
    if (origin !== undefined && origin.length <= LONGEST_ORIGIN && (await isRegistered(origin))) {
      res.setHeader('Access-Control-Allow-Origin', origin)
      res.setHeader('Access-Control-Expose-Headers', 'WWW-Authenticate, Retry-After')
      if (req.method === 'OPTIONS') {
        res.setHeader('Access-Control-Allow-Methods', methods.join(', '))
        res.setHeader('Access-Control-Allow-Headers', 'Authorization, Content-Type')
        res.setHeader('Access-Control-Max-Age', '600')
      }
    }
    if (req.method !== 'OPTIONS') return next()
    res.status(204).end()
  }
}
