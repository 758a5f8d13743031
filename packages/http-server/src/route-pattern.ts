import type { IncomingMessage } from 'node:http'

interface RoutedRequest {
  readonly route?: { readonly path?: unknown }
}

/** The pattern of the route that answers a request, or `none`; never its URL, where codes and hints travel. */
export function routePattern(req: IncomingMessage & RoutedRequest): string {
  const path = req.route?.path
  return typeof path === 'string' ? path : 'none'
}
