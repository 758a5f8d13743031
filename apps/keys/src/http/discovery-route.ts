import { publicCors } from '@signet/http-server/cors'
import { ENDPOINT_PATHS } from '@signet/oauth-protocol/endpoint-paths'
import { Router } from 'express'
import { discoveryDocument } from '../discovery/discovery-document.ts'
import { cacheableDocument, sendDocument } from './cacheable-document.ts'

const MAX_AGE_SECONDS = 300

/** OpenID Connect Discovery 1.0 section 4: the same bytes for as long as the process lives. */
export function discoveryRoute(issuer: string): Router {
  const document = cacheableDocument(discoveryDocument(issuer))
  return Router()
    .options(ENDPOINT_PATHS.discovery, publicCors)
    .get(ENDPOINT_PATHS.discovery, publicCors, (req, res) =>
      sendDocument(req, res, document, MAX_AGE_SECONDS),
    )
}
