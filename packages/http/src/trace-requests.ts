import type { EventEmitter } from 'node:events'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { whenOver } from '@signet/platform/runtime/when-over'
import type { Span, Tracing } from '@signet/platform/tracing/tracing'
import { routePattern } from './route-pattern.ts'

/**
 * Traces every request, until its last byte was sent, as a part of the trace that its `traceparent` names. Of the
 * client's input only the method is recorded: paths contain ids, queries contain codes and hints.
 */
export function traceRequests(listener: RequestListener, tracing: Tracing): RequestListener {
  return (req, res) => {
    const method = req.method ?? ''
    const span = tracing.continueFrom(req.headers.traceparent?.toString(), {
      name: method,
      kind: 'server',
      attributes: { 'http.request.method': method },
    })
    whenOver(res, () => endRequest(span, req, res))
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
