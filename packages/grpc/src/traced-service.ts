import { errorType, traceWork } from '@signet/platform/tracing/trace-call'
import type { Tracing } from '@signet/platform/tracing/tracing'
import { callSpan } from './call-span.ts'
import type { CallContext, RpcMethod, RpcService } from './service.ts'

/** Continues the traces of callers. A call without one is what its caller does by itself, again and again. */
export function tracedService(service: RpcService, tracing: Tracing): RpcService {
  return { ...service, methods: service.methods.map((method) => tracedMethod(method, tracing)) }
}

function tracedMethod(method: RpcMethod, tracing: Tracing): RpcMethod {
  const begin = ({ traceparent }: CallContext) =>
    traceparent === undefined
      ? undefined
      : tracing.continueFrom(traceparent, callSpan('server', method.fullName))
  return {
    ...method,
    unary(request, context) {
      const span = begin(context)
      if (span === undefined) return method.unary(request, context)
      return traceWork(tracing, span, () => method.unary(request, context))
    },
    async *stream(request, context) {
      const span = begin(context)
      if (span === undefined) return yield* method.stream(request, context)
      const messages = method.stream(request, context)[Symbol.asyncIterator]()
      let failure: string | undefined
      try {
        // A generator runs in the span of the caller that requests the next message.
        const next = () => tracing.during(span, () => messages.next())
        for (let message = await next(); !message.done; message = await next()) yield message.value
      } catch (error) {
        failure = errorType(error)
        throw error
      } finally {
        await messages.return?.()
        span.end({ errorType: failure })
      }
    },
  }
}
