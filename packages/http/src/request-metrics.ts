import type { IncomingMessage, RequestListener } from 'node:http'
import type { Metrics } from '@signet/platform/metrics/metrics'
import { whenOver } from '@signet/platform/runtime/when-over'
import { routePattern } from './route-pattern.ts'

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
 * class of status. A client that left before the answer counts as `gone`.
 */
export function measureRequests(listener: RequestListener, metrics: Metrics): RequestListener {
  const seriesOf = metrics.histogram({
    name: 'signet_http_request_duration_seconds',
    help: 'Time from a request to the end of its answer; status is 2xx to 5xx, or gone.',
    labels: ['method', 'route', 'grant_type', 'status'],
    buckets: BUCKET_SECONDS,
  })
  const kept = new Map<string, (seconds: number) => void>()

  function observe(req: IncomingMessage & GrantCarrier, status: string, seconds: number): void {
    const { method = '' } = req
    const route = routePattern(req)
    const grantType = req[GRANT_TYPE] ?? ''
    const key = `${method} ${route} ${grantType} ${status}`
    let series = kept.get(key)
    if (series === undefined) {
      series = seriesOf({ method, route, grant_type: grantType, status })
      kept.set(key, series)
    }
    series(seconds)
  }

  return (req, res) => {
    const startedAt = performance.now()
    whenOver(res, () => {
      const status = res.writableFinished ? `${Math.trunc(res.statusCode / 100)}xx` : 'gone'
      observe(req, status, (performance.now() - startedAt) / 1_000)
    })
    listener(req, res)
  }
}
