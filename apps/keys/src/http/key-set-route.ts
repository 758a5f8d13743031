import { publicCors } from '@signet/http-server/cors'
import { ENDPOINT_PATHS } from '@signet/oauth-protocol/endpoint-paths'
import type { Clock } from '@signet/service-runtime/clock'
import { Router } from 'express'
import { keySetMaxAgeSeconds, keySetOf } from '../key-set/key-set.ts'
import type { RingKeys } from '../rotation/key-rings.ts'
import { type CacheableDocument, cacheableDocument, sendDocument } from './cacheable-document.ts'

interface KeySetRouteOptions {
  readonly rings: { readonly current: RingKeys }
  readonly now: Clock
}

/** `jwks_uri`, answered from memory: it works while the database does not. */
export function keySetRoute({ rings, now }: KeySetRouteOptions): Router {
  let known: { readonly of: RingKeys; readonly document: CacheableDocument } | undefined
  const documentOf = (current: RingKeys): CacheableDocument => {
    if (known?.of !== current) {
      known = {
        of: current,
        document: cacheableDocument(keySetOf(current.keys)),
      }
    }
    return known.document
  }
  return Router()
    .options(ENDPOINT_PATHS.keys, publicCors)
    .get(ENDPOINT_PATHS.keys, publicCors, (req, res) => {
      const { current } = rings
      sendDocument(req, res, documentOf(current), keySetMaxAgeSeconds(current.keys, now()))
    })
}
