import { randomUUIDv7 } from 'node:crypto'
import type { RequestListener } from 'node:http'
import type { BlockList } from 'node:net'
import type { CertificateSource } from '@signet/platform/config/mutual-tls-settings'
import type { Logger } from '@signet/platform/logger/logger'
import { duringRequest } from '@signet/platform/runtime/current-request'
import { InvalidRequestError } from '@signet/protocol/errors'
import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
  type Router,
} from 'express'
import { type Endpoint, setHeaders } from './endpoint.ts'
import { createDirectEndpoints, endpointRouter, type OnError } from './hot-endpoint.ts'
import { logWhenOver } from './instrumentation.ts'
import { headersOf, setRequestContext } from './request-context.ts'
import { securityHeaders } from './response-headers.ts'

type HttpAppOptions = {
  readonly logger: Logger
  /** Public origin of the suite. */
  readonly issuer: string
  /** Proxies whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: BlockList
  /** Absent where certificates of clients are off. */
  readonly clientCertificates?: CertificateSource | undefined
  /** Routers in the order of the discovery document. */
  readonly routes: readonly Router[]
  /** A UUID of version 7 when left out: its time says where the audit log has what the request did. */
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
  const { logger, issuer, trustedProxies, clientCertificates, newRequestId = randomUUIDv7 } = options
  const headers = securityHeaders(issuer)
  const routers = [...(options.endpoints ?? []).map(endpointRouter), ...options.routes]
  const app = expressApp(routers, options.onError)
  const isAnswered = options.endpoints && createDirectEndpoints(options.endpoints, options.onError, logger)
  const listener: RequestListener = (req, res) => {
    const requestId = newRequestId()
    setRequestContext(req, {
      ...{ requestId, trustedProxies, clientCertificates },
      securityHeaders: headers,
    })
    logWhenOver(req, res, logger)
    duringRequest(requestId, () => {
      if (!isAnswered?.(req, res)) app(req, res)
    })
  }
  servedBy.set(listener, routers.flatMap(knownPaths))
  return listener
}

/** A path pattern and the methods that it answers. */
export type ServedRoute = Pick<KnownPath, 'path' | 'methods'>

const servedBy = new WeakMap<RequestListener, readonly ServedRoute[]>()

/** The routes of an app that `createHttpApp` made, for tests that have to reach all of them. */
export function servedRoutes(app: RequestListener): readonly ServedRoute[] {
  return servedBy.get(app) ?? []
}

function expressApp(routers: readonly Router[], onError: HttpAppOptions['onError']): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  // `queryParameters()` reads them instead: it refuses repetition and does not build arrays and objects.
  app.set('query parser', false)
  app.use((req, res, next) => {
    setHeaders(res, headersOf(req))
    next()
  })
  for (const router of routers) app.use(router)
  app.use(createUnmatchedRoute(routers))
  // Express recognizes an error handler by the number of its parameters.
  const errorHandler: ErrorRequestHandler = (error, req, res, _next) => onError(error, req, res)
  app.use(errorHandler)
  return app
}

interface KnownPath {
  readonly path: string
  readonly matches: (path: string) => boolean
  readonly methods: readonly string[]
}

/** Ends every app: 405 with `Allow` (RFC 9110 section 15.5.6) for a path that has other methods, else 404. */
export function createUnmatchedRoute(routes: readonly Router[]): RequestHandler {
  const known = routes.flatMap(knownPaths)
  return (req) => {
    const methods = new Set(known.filter(({ matches }) => matches(req.path)).flatMap((path) => path.methods))
    if (methods.size === 0) {
      throw new InvalidRequestError('there is nothing at this path', { reason: 'path_unknown', status: 404 })
    }
    const allowed = [...methods].join(', ')
    throw new InvalidRequestError(`this path answers ${allowed}`, {
      reason: 'method_not_allowed',
      status: 405,
      headers: { Allow: allowed },
    })
  }
}

function knownPaths(router: Router): KnownPath[] {
  return router.stack.flatMap((layer): KnownPath[] => {
    if (layer.route === undefined) return []
    // A handler given to `all()` has no method, although its type has one.
    const methods = layer.route.stack.flatMap(
      ({ method }: { method?: string }) => method?.toUpperCase() ?? [],
    )
    const answered = methods.includes('GET') ? [...methods, 'HEAD'] : methods
    return [layer.route.path]
      .flat()
      .map((path) => ({ path, matches: createPathMatcher(path), methods: answered }))
  })
}

/** `:name` stands for one segment and `*name` for the rest, as in express. */
function createPathMatcher(pattern: string): (path: string) => boolean {
  const source = pattern
    .replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll(/:\w+/g, '[^/]+')
    .replaceAll(/\*\w+/g, '.+')
  const expression = new RegExp(`^${source}/?$`, 'i')
  return (path) => expression.test(path)
}
