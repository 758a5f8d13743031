import type { RequestListener } from 'node:http'
import { createTracedListener } from '@signet/http/instrumentation'
import type { Tracing } from '@signet/platform/tracing/tracing'
import { type RouteOwner, routeFor } from '@signet/protocol/routes'

interface PublicRouterOptions {
  readonly issuer: string
  /** Pages of this process, by path. */
  readonly ownPages?: ReadonlyMap<string, RequestListener> | undefined
  readonly tracing?: Tracing | undefined
}

/** Sends each request to the service that owns its path, as an ingress would. */
export function createPublicRouter(
  services: { get(owner: RouteOwner): RequestListener | undefined },
  { issuer, ownPages, tracing }: PublicRouterOptions,
): RequestListener {
  const router: RequestListener = (req, res) => {
    const path = (req.url ?? '').split('?', 1)[0] ?? ''
    const route = routeFor(path)
    const listener = ownPages?.get(path) ?? (route && services.get(route.service))
    if (listener !== undefined) return listener(req, res)
    res.writeHead(404, { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' })
    res.end(`Nothing is served here. Signet describes itself at ${issuer}/.well-known/openid-configuration\n`)
  }
  return tracing ? createTracedListener(router, tracing) : router
}
