import { randomUUID } from 'node:crypto'
import type { BlockList } from 'node:net'
import { ENDPOINT_PATHS } from '@signet/oauth-protocol/endpoint-paths'
import type { Logger } from '@signet/service-runtime/logger'
import { whenOver } from '@signet/service-runtime/when-over'
import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type Response,
  type Router,
} from 'express'
import { setRequestContext } from './request-context.ts'
import { securityHeaders } from './response-headers.ts'
import { routePattern } from './route-pattern.ts'
import { unmatchedRoute } from './unmatched-route.ts'

/** Where a line for each answer would say nothing that the metrics do not; see docs/decisions/0019. */
const FREQUENT_READS: ReadonlySet<string> = new Set([
  ENDPOINT_PATHS.introspect,
  ENDPOINT_PATHS.userinfo,
  ENDPOINT_PATHS.keys,
  ENDPOINT_PATHS.discovery,
])

interface HttpAppOptions {
  readonly logger: Logger
  /** Whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: BlockList
  /** In the order of the discovery document. */
  readonly routes: readonly Router[]
  /** How this service answers errors, those for unknown paths included. */
  readonly errorHandler: ErrorRequestHandler
  readonly newRequestId?: () => string
}

/** The app every service starts from: request id, one log line a request (of frequent reads at `debug`), security headers, 404 and 405. */
export function createHttpApp(options: HttpAppOptions): Express {
  const { logger, trustedProxies, routes, errorHandler, newRequestId = randomUUID } = options
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  // `queryParameters()` reads them instead: it refuses repetition and does not build arrays and objects.
  app.set('query parser', false)

  app.use((req, res, next) => {
    const requestId = newRequestId()
    setRequestContext(req, { requestId, trustedProxies })
    res.setHeader('X-Request-Id', requestId)
    for (const name in securityHeaders) res.setHeader(name, securityHeaders[name] ?? '')
    logWhenDone(req, res, logger, requestId)
    next()
  })
  for (const router of routes) app.use(router)
  app.use(unmatchedRoute(routes))
  app.use(errorHandler)
  return app
}

function logWhenDone(req: Request, res: Response, logger: Logger, requestId: string): void {
  const startedAt = performance.now()
  whenOver(res, () => {
    const route = routePattern(req)
    const status = res.statusCode
    const succeeded = status < 400 && res.writableFinished
    const level = FREQUENT_READS.has(route) && succeeded ? 'debug' : 'info'
    logger[level]('http_request', {
      requestId,
      method: req.method,
      route,
      status,
      outcome: res.writableFinished ? 'answered' : 'client_gone',
      durationMs: Math.round((performance.now() - startedAt) * 100) / 100,
    })
  })
}
