import type { IncomingMessage } from 'node:http'

interface RoutedRequest {
  readonly route?: { readonly path?: unknown }
}

const ENDPOINT = Symbol('signet endpoint')

interface EndpointCarrier {
  [ENDPOINT]?: string
}

/** Says which endpoint answers a request that Express never sees. */
export function setEndpoint(req: IncomingMessage & EndpointCarrier, path: string): void {
  req[ENDPOINT] = path
}

/** The pattern of the route that answers a request, or `none`; never its URL, where codes and hints travel. */
export function routePattern(req: IncomingMessage & RoutedRequest & EndpointCarrier): string {
  const path = req[ENDPOINT] ?? req.route?.path
  return typeof path === 'string' ? path : 'none'
}
