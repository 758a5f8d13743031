import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from '@signet/platform/logger/logger'
import { whenOver } from '@signet/platform/runtime/when-over'
import { ENDPOINT_PATHS } from '@signet/protocol/endpoint-paths'
import { requestId } from './request-context.ts'
import { routePattern } from './route-pattern.ts'

/** Where a line for each answer would say nothing that the metrics do not; see docs/decisions/0019. */
const FREQUENT_READS: ReadonlySet<string> = new Set([
  ENDPOINT_PATHS.introspect,
  ENDPOINT_PATHS.userinfo,
  ENDPOINT_PATHS.keys,
  ENDPOINT_PATHS.discovery,
])

/** One line about a request: when its response was sent, or the client has gone. */
export function logWhenOver(req: IncomingMessage, res: ServerResponse, logger: Logger): void {
  const startedAt = performance.now()
  whenOver(res, () => {
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
