import { publicCors } from '@signet/http/cors'
import type { Endpoint } from '@signet/http/endpoint'
import type { Clock } from '@signet/platform/runtime/clock'
import { ENDPOINT_PATHS } from '@signet/protocol/routes'
import { type CacheableDocument, cacheableDocument, documentAnswer } from './cacheable-document.ts'
import { keySetMaxAgeSeconds, keySetOf } from './key-set.ts'
import type { RingKeys } from './rotation/key-rings.ts'

interface KeySetEndpointOptions {
  readonly rings: { readonly current: RingKeys }
  readonly now: Clock
}

/** `jwks_uri`, answered from memory: it works while the database does not. */
export function keySetEndpoint({ rings, now }: KeySetEndpointOptions): Endpoint {
  let known: { readonly of: RingKeys; readonly document: CacheableDocument } | undefined
  const documentOf = (current: RingKeys): CacheableDocument => {
    if (known?.of !== current) known = { of: current, document: cacheableDocument(keySetOf(current.keys)) }
    return known.document
  }
  return {
    path: ENDPOINT_PATHS.keys,
    cors: publicCors,
    methods: {
      GET(req) {
        const { current } = rings
        return documentAnswer(req, documentOf(current), keySetMaxAgeSeconds(current.keys, now()))
      },
    },
  }
}
