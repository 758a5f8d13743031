import { publicCors } from '@signet/http-server/cors'
import { ENDPOINT_PATHS } from '@signet/oauth-protocol/endpoint-paths'
import type { Clock } from '@signet/service-runtime/clock'
import { Router } from 'express'
import { type KeySet, keySetMaxAgeSeconds, keySetOf } from '../key-set/key-set.ts'
import type { RingKeys } from '../rotation/key-rings.ts'

interface KeySetRouteOptions {
  readonly rings: { readonly current: RingKeys }
  readonly now: Clock
}

/** `jwks_uri`, answered from memory: it works while the database does not. */
export function keySetRoute({ rings, now }: KeySetRouteOptions): Router {
  let known: { readonly of: RingKeys; readonly keySet: KeySet } | undefined
  const keySet = (current: RingKeys): KeySet => {
    if (known?.of !== current) known = { of: current, keySet: keySetOf(current.keys) }
    return known.keySet
  }
  return Router()
    .options(ENDPOINT_PATHS.keys, publicCors)
    .get(ENDPOINT_PATHS.keys, publicCors, (req, res) => {
      const { current } = rings
      const { body, etag } = keySet(current)
      res.setHeader('Cache-Control', `public, max-age=${keySetMaxAgeSeconds(current.keys, now())}`)
      res.setHeader('ETag', etag)
      if (req.fresh) return void res.status(304).end()
      res.setHeader('Content-Type', 'application/json')
      res.setHeader('Content-Length', body.length)
      res.end(body)
    })
}
