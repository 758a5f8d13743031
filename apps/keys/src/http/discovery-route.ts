import { createHash } from 'node:crypto'
import { publicCors } from '@signet/http-server/cors'
import { ENDPOINT_PATHS } from '@signet/oauth-protocol/endpoint-paths'
import { Router } from 'express'
import { discoveryDocument } from '../discovery/discovery-document.ts'

/** OpenID Connect Discovery 1.0 section 4: the same bytes for as long as the process lives. */
export function discoveryRoute(issuer: string): Router {
  const body = Buffer.from(JSON.stringify(discoveryDocument(issuer)))
  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`
  return Router()
    .options(ENDPOINT_PATHS.discovery, publicCors)
    .get(ENDPOINT_PATHS.discovery, publicCors, (req, res) => {
      res.setHeader('Cache-Control', 'public, max-age=300')
      res.setHeader('ETag', etag)
      if (req.fresh) return void res.status(304).end()
      res.setHeader('Content-Type', 'application/json')
      res.setHeader('Content-Length', body.length)
      res.end(body)
    })
}
