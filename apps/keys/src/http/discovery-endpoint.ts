import { publicCors } from '@signet/http/cors'
import type { Endpoint } from '@signet/http/endpoint'
import { ENDPOINT_PATHS } from '@signet/protocol/routes'
import { discoveryDocument } from '../discovery/discovery-document.ts'
import { cacheableDocument, documentAnswer } from './cacheable-document.ts'

const MAX_AGE_SECONDS = 300

/** OpenID Connect Discovery 1.0 section 4: the same bytes for as long as the process lives. */
export function discoveryEndpoint(issuer: string): Endpoint {
  const document = cacheableDocument(discoveryDocument(issuer))
  return {
    path: ENDPOINT_PATHS.discovery,
    cors: publicCors,
    methods: { GET: (req) => documentAnswer(req, document, MAX_AGE_SECONDS) },
  }
}
