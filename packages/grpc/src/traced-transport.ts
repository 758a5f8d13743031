import type { DescMethod } from '@bufbuild/protobuf'
import { errorType, type Span, type Tracing, traceCall } from '@signet/platform/tracing/tracing'
import type { RpcTransport, StreamOptions } from './client.ts'
import { callSpan, fullMethodName } from './service.ts'

/** Traces the calls that belong to a trace, which the callee continues. */
export function tracedTransport(transport: RpcTransport, tracing: Tracing): RpcTransport {
  const describe = (method: DescMethod) => callSpan('client', fullMethodName(method))
  return {
    unary: (method, request, options) =>
      traceCall(tracing, describe(method), (span) =>
        transport.unary(method, request, { ...options, ...continuedBy(span) }),
      ),
    async *serverStream(method, request, options) {
      const span = tracing.below(describe(method))
      let failure: string | undefined
      try {
        yield* transport.serverStream(method, request, { ...options, ...continuedBy(span) })
      } catch (error) {
        failure = errorType(error)
        throw error
      } finally {
        span?.end({ errorType: failure })
      }
    },
  }
}

function continuedBy(span: Span | undefined): Pick<StreamOptions, 'traceparent'> {
  return span === undefined ? {} : { traceparent: span.traceparent }
}
