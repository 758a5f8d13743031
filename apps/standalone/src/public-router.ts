import type { RequestListener } from 'node:http'
import { type RouteOwner, routeFor } from '@signet/protocol/routes'

/** Sends each request to the service that owns its path, as an ingress would. */
export function publicRouter(
  services: ReadonlyMap<RouteOwner, RequestListener>,
  issuer: string,
  ownPages: ReadonlyMap<string, RequestListener> = new Map(),
): RequestListener {
  return (req, res) => {
    const path = (req.url ?? '').split('?', 1)[0] ?? ''
    const route = routeFor(path)
    const listener = ownPages.get(path) ?? (route && services.get(route.service))
    if (listener !== undefined) return listener(req, res)
    res.writeHead(404, { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' })
    res.end(`Nothing is served here. Signet describes itself at ${issuer}/.well-known/openid-configuration\n`)
  }
}
