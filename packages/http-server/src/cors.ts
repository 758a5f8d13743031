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
