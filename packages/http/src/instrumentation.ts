import type { EventEmitter } from 'node:events'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Logger } from '@signet/platform/logger/logger'
import type { Metrics } from '@signet/platform/metrics/metrics'
import type { Span, Tracing } from '@signet/platform/tracing/tracing'
import { ENDPOINT_PATHS } from '@signet/protocol/routes'
import { routePattern } from './hot-endpoint.ts'
import { requestId } from './request-context.ts'

/** Every threshold of an objective is one of these; see deploy/helm/signet/files/rules.yaml. */
export const BUCKET_SECONDS = [0.0025, 0.01, 0.025, 0.1, 0.25, 1, 2.5, 10]

const GRANT_TYPE = Symbol('signet grant type')

interface GrantCarrier {
  [GRANT_TYPE]?: string
}

/** Has the request measured under a grant type: one that is supported, so that there are few. */
export function measureAsGrant(req: IncomingMessage & GrantCarrier, grantType: string): void {
  req[GRANT_TYPE] = grantType
}

/**
 * Measures how long every request takes, until its last byte was handed on, by method, route pattern, grant type and
 * class of status. A client that left before the answer counts as `gone`. `traceId` gives the exemplar of a request.
 */
export function createMeasuredListener(
  listener: RequestListener,
  metrics: Metrics,
  traceId: () => string | undefined = () => undefined,
): RequestListener {
  const observe = metrics.histogram({
    name: 'signet_http_request_duration_seconds',
    help: 'Time from a request to the end of its answer; status is 2xx to 5xx, or gone.',
    labels: ['method', 'route', 'grant_type', 'status'],
    buckets: BUCKET_SECONDS,
  })

  const countLimited = metrics.counter({
    name: 'signet_http_rate_limited_total',
    help: 'Requests that a rate limit refused with 429.',
    labels: ['route'],
  })

  return (req: IncomingMessage & GrantCarrier, res) => {
    const startedAt = performance.now()
    const trace = traceId()
    res.on('close', () => {
      const labels = {
        method: req.method ?? '',
        route: routePattern(req),
        grant_type: req[GRANT_TYPE] ?? '',
        status: res.writableFinished ? `${Math.trunc(res.statusCode / 100)}xx` : 'gone',
      }
      observe(labels, (performance.now() - startedAt) / 1_000, trace)
      if (res.statusCode === 429) countLimited({ route: labels.route })
    })
    listener(req, res)
  }
}

/** Endpoints for which a line for each answer would say nothing that the metrics do not; see docs/decisions/0019. */
const FREQUENT_READS: ReadonlySet<string> = new Set([
  ENDPOINT_PATHS.introspect,
  ENDPOINT_PATHS.userinfo,
  ENDPOINT_PATHS.keys,
  ENDPOINT_PATHS.discovery,
])

/** Logs a line about a request: when its response was sent, or the client has gone. */
export function logWhenOver(req: IncomingMessage, res: ServerResponse, logger: Logger): void {
  const startedAt = performance.now()
  res.on('close', () => {
    const route = routePattern(req)
    const status = res.statusCode
    const succeeded = status < 400 && res.writableFinished
    const level = FREQUENT_READS.has(route) && succeeded ? 'debug' : 'info'
    logger[level]('http_request', {
      requestId: requestId(req),
      method: req.method,
      route,
      status,
      outcome: res.writableFinished ? 'answered' : 'client_gone',
      durationMs: Math.round((performance.now() - startedAt) * 100) / 100,
    })
  })
}

/**
 * Traces every request, until its last byte was sent, as a part of the trace that its `traceparent` names. Of the
 * client's input only the method is recorded: paths contain ids, queries contain codes and hints.
 */
export function createTracedListener(listener: RequestListener, tracing: Tracing): RequestListener {
  return (req, res) => {
    const method = req.method ?? ''
    const span = tracing.continueFrom(req.headers.traceparent?.toString(), {
      name: method,
      kind: 'server',
      attributes: { 'http.request.method': method },
    })
    res.on('close', () => endRequest(span, req, res))
    // Later pieces of a body are emitted by the connection, which is older than this request.
    for (const emitter of [req, res]) emitDuring(tracing, span, emitter)
    tracing.during(span, () => listener(req, res))
  }
}

function endRequest(span: Span, req: IncomingMessage, res: ServerResponse): void {
  const route = routePattern(req)
  const { method = '' } = req
  const { statusCode } = res
  span.end({
    name: route === 'none' ? method : `${method} ${route}`,
    attributes: {
      'http.response.status_code': statusCode,
      ...(route !== 'none' && { 'http.route': route }),
    },
    errorType: res.writableFinished ? (statusCode < 500 ? undefined : `${statusCode}`) : 'client_gone',
  })
}

function emitDuring(tracing: Tracing, span: Span, emitter: EventEmitter): void {
  const { emit } = emitter
  emitter.emit = (...event) => tracing.during(span, () => Reflect.apply(emit, emitter, event))
}
