import type { IncomingMessage } from 'node:http'
import type { BlockList } from 'node:net'
import type { HeaderList } from './endpoint.ts'

interface RequestContext {
  readonly requestId: string
  readonly trustedProxies: BlockList
  /** The headers of every response of the app. */
  readonly securityHeaders: HeaderList
  /** The `client_id` that the request states, proven or not. */
  clientId?: string
}

const CONTEXT = Symbol('signet request context')

interface ContextCarrier {
  [CONTEXT]?: RequestContext
}

/** The app's data about a request before any route sees it; throws for a request that never passed the app. */
export function requestContext(req: IncomingMessage & ContextCarrier): RequestContext {
  const context = req[CONTEXT]
  if (context === undefined) throw new Error('the request did not come through createHttpApp')
  return context
}

export function setRequestContext(req: IncomingMessage & ContextCarrier, context: RequestContext): void {
  req[CONTEXT] = context
}

/** Names the client in the log line of a refusal. */
export function setClientId(req: IncomingMessage, clientId: string): void {
  requestContext(req).clientId = clientId
}

/** Names this request in logs, in calls to other services and in the `X-Request-Id` of its answer. */
export function requestId(req: IncomingMessage): string {
  return requestContext(req).requestId
}

/** The headers of the response to this request, whichever body it has. */
export function headersOf(req: IncomingMessage): HeaderList {
  const { requestId, securityHeaders } = requestContext(req)
  return ['X-Request-Id', requestId, ...securityHeaders]
}
