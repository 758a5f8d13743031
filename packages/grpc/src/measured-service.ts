import type { Metrics } from '@signet/platform/metrics/metrics'
import { type RpcCode, toRpcError } from './error.ts'
import type { RpcMethod, RpcService } from './service.ts'

const BUCKET_SECONDS = [0.0025, 0.01, 0.025, 0.1, 0.25, 1, 2.5, 10]

type Code = RpcCode | 'OK'
type Observe = (code: Code, startedAt: number) => void

/** Registers how long calls take, and answers what has those of a service measured; a stream is one call until its end. */
export function callMeasure(metrics: Metrics): (service: RpcService) => RpcService {
  const seriesOf = metrics.histogram({
    name: 'signet_rpc_request_duration_seconds',
    help: 'Time from a call of another service to the end of its answer, by gRPC status.',
    labels: ['method', 'code'],
    buckets: BUCKET_SECONDS,
  })
  const observing =
    (method: string): Observe =>
    (code, startedAt) =>
      seriesOf({ method, code })((performance.now() - startedAt) / 1_000)
  return (service) => ({
    ...service,
    methods: service.methods.map((method) => measuredMethod(method, observing(method.fullName))),
  })
}

function measuredMethod(method: RpcMethod, observe: Observe): RpcMethod {
  return {
    ...method,
    async unary(request, context) {
      const startedAt = performance.now()
      try {
        const response = await method.unary(request, context)
        // Its caller has gone, so no response is sent.
        observe(context.signal.aborted ? 'CANCELLED' : 'OK', startedAt)
        return response
      } catch (error) {
        observe(toRpcError(error).code, startedAt)
        throw error
      }
    },
    async *stream(request, context) {
      const startedAt = performance.now()
      let code: Code = 'OK'
      try {
        yield* method.stream(request, context)
      } catch (error) {
        code = toRpcError(error).code
        throw error
      } finally {
        observe(code, startedAt)
      }
    },
  }
}
