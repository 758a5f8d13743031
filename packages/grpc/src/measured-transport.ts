import type { Metrics } from '@signet/platform/metrics/metrics'
import type { RpcTransport } from './client.ts'
import { type RpcCode, toRpcError } from './error.ts'
import type { HedgeEvent } from './hedging.ts'
import { fullMethodName } from './service.ts'

const BUCKET_SECONDS = [0.0025, 0.01, 0.025, 0.1, 0.25, 1, 2.5, 10]

type ObserveCall = (
  labels: { readonly callee: string; readonly method: string; readonly code: RpcCode | 'OK' },
  seconds: number,
) => void

/** Metrics of the calls of a process. */
export interface ClientCallMeasure {
  readonly observe: ObserveCall
  readonly countHedge: (labels: { readonly callee: string; readonly event: HedgeEvent }) => void
}

/** The callees of a process share the metrics. */
const registered = new WeakMap<Metrics, ClientCallMeasure>()

/** Registers how long calls of this process take and which were made again beside, once for each set of metrics. */
export function clientCallMeasure(metrics: Metrics): ClientCallMeasure {
  const known = registered.get(metrics)
  if (known !== undefined) return known
  const observe = metrics.histogram({
    name: 'signet_rpc_client_duration_seconds',
    help: 'Time from a call of another service to the end of its answer, as the caller sees it, by gRPC status; without streams.',
    labels: ['callee', 'method', 'code'],
    buckets: BUCKET_SECONDS,
  })
  const countHedge = metrics.counter({
    name: 'signet_rpc_hedges_total',
    help: 'Reads made again beside a slow one: sent, won (the first to respond), withheld (too many before).',
    labels: ['callee', 'event'],
  })
  const measure = { observe, countHedge }
  registered.set(metrics, measure)
  return measure
}

/** Has the unary calls of a transport observed, also those that never reach their callee. */
export function measuredTransport(
  transport: RpcTransport,
  callee: string,
  observe: () => ObserveCall | undefined,
): RpcTransport {
  return {
    async unary(method, request, options) {
      const startedAt = performance.now()
      const end = (code: RpcCode | 'OK') =>
        observe()?.({ callee, method: fullMethodName(method), code }, (performance.now() - startedAt) / 1_000)
      try {
        const response = await transport.unary(method, request, options)
        end('OK')
        return response
      } catch (error) {
        end(toRpcError(error).code)
        throw error
      }
    },
    serverStream: (method, request, options) => transport.serverStream(method, request, options),
  }
}
