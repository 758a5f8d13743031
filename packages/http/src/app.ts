import { randomUUID } from 'node:crypto'
import type { RequestListener } from 'node:http'
import type { BlockList } from 'node:net'
import type { Logger } from '@signet/platform/logger/logger'
import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type Response,
  type Router,
} from 'express'
import type { OnError } from './answer-endpoint.ts'
import { directEndpoints } from './direct-endpoints.ts'
import type { Endpoint } from './endpoint.ts'
import { endpointRouter } from './endpoint-router.ts'
import { logWhenOver } from './log-when-over.ts'
import { setRequestContext } from './request-context.ts'
import { headersOf } from './request-headers.ts'
import { securityHeaders } from './response-headers.ts'
import { setHeaders } from './set-headers.ts'
import { unmatchedRoute } from './unmatched-route.ts'

type HttpAppOptions = {
  readonly logger: Logger
  /** Public origin of the suite. */
  readonly issuer: string
  /** Whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: BlockList
  /** In the order of the discovery document. */
  readonly routes: readonly Router[]
  readonly newRequestId?: () => string
} & (
  | {
      /** Asked before any route. */
      readonly endpoints: readonly Endpoint[]
      /** How this service answers errors, those for unknown paths included. */
      readonly onError: OnError
    }
  | {
      readonly endpoints?: undefined
      readonly onError: (error: unknown, req: Request, res: Response) => void
    }
)

/** The app every service starts from: request id, one log line a request (of frequent reads at `debug`), security headers, 404 and 405. */
export function createHttpApp(options: HttpAppOptions): RequestListener {
  const { logger, issuer, trustedProxies, newRequestId = randomUUID } = options
  const headers = securityHeaders(issuer)
  const app = expressApp(options)
  const isAnswered = options.endpoints && directEndpoints(options.endpoints, options.onError, logger)
  return (req, res) => {
    setRequestContext(req, { requestId: newRequestId(), trustedProxies, securityHeaders: headers })
    logWhenOver(req, res, logger)
    if (isAnswered?.(req, res)) return
    app(req, res)
  }
}

function expressApp({ endpoints = [], routes, onError }: HttpAppOptions): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  // `queryParameters()` reads them instead: it refuses repetition and does not build arrays and objects.
  app.set('query parser', false)
  app.use((req, res, next) => {
    setHeaders(res, headersOf(req))
    next()
  })
  const routers = [...endpoints.map(endpointRouter), ...routes]
  for (const router of routers) app.use(router)
  app.use(unmatchedRoute(routers))
  // Express recognizes an error handler by the number of its parameters.
  const errorHandler: ErrorRequestHandler = (error, req, res, _next) => onError(error, req, res)
  app.use(errorHandler)
  return app
}
