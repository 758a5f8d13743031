import {
  create,
  type DescMessage,
  type DescMethod,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  type DescService,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf'
import type { Metrics } from '@signet/platform/metrics/metrics'
import type { ServiceName } from '@signet/platform/process/service'
import { duringRequest } from '@signet/platform/runtime/current-request'
import { errorType, type SpanDescription, type Tracing, traceWork } from '@signet/platform/tracing/tracing'
import { mayCall } from './caller-table.ts'
import { type RpcCode, RpcError, toRpcError } from './error.ts'
import { createRequestCheck } from './request-check.ts'

/** The context of a call that a handler receives besides the request. */
export interface CallContext {
  /** Proven by mTLS, or by the process itself for calls that do not leave it. */
  readonly caller: ServiceName
  /** Aborted when the caller gave up or its deadline passed. */
  readonly signal: AbortSignal
  readonly requestId?: string
  /** The trace that the call is a part of. */
  readonly traceparent?: string
}

type Handler<M> =
  M extends DescMethodUnary<infer I, infer O>
    ? (request: MessageShape<I>, context: CallContext) => Promise<MessageInitShape<O>>
    : M extends DescMethodServerStreaming<infer I, infer O>
      ? (request: MessageShape<I>, context: CallContext) => AsyncIterable<MessageInitShape<O>>
      : never

export type RpcHandlers<S extends DescService> = {
  readonly [K in keyof S['method']]: Handler<S['method'][K]>
}

/** Method that is ready for any transport: bytes in, bytes out, the caller table applied. */
export interface RpcMethod {
  /** `package.Service/Method` */
  readonly fullName: string
  readonly kind: 'unary' | 'server_streaming'
  unary(request: Uint8Array, context: CallContext): Promise<Uint8Array>
  stream(request: Uint8Array, context: CallContext): AsyncIterable<Uint8Array>
}

export interface RpcService {
  readonly typeName: string
  readonly methods: readonly RpcMethod[]
}

/** Binds handlers to a generated service descriptor. A method without a handler does not compile. */
export function rpcService<S extends DescService>(descriptor: S, handlers: RpcHandlers<S>): RpcService {
  const untyped = handlers as Readonly<Record<string, UntypedHandler>>
  return {
    typeName: descriptor.typeName,
    methods: descriptor.methods.map((method) => bindMethod(method, untyped[method.localName])),
  }
}

type UntypedHandler = (request: unknown, context: CallContext) => unknown

/** `package.Service/Method` of a generated method descriptor. */
export function fullMethodName(method: DescMethod): string {
  return `${method.parent.typeName}/${method.name}`
}

function bindMethod(method: DescMethod, handler: UntypedHandler | undefined): RpcMethod {
  const fullName = fullMethodName(method)
  if (handler === undefined) throw new Error(`${fullName} has no handler`)
  if (method.methodKind !== 'unary' && method.methodKind !== 'server_streaming') {
    throw new Error(`${fullName}: ${method.methodKind} methods are not part of this suite`)
  }
  const check = createRequestCheck(method.input)
  const decode = (bytes: Uint8Array) => {
    const request = parse(method.input, bytes)
    check(request)
    return request
  }
  const encode = (init: unknown) =>
    toBinary(method.output, create(method.output, init as MessageInitShape<typeof method.output>))
  const admit = (caller: ServiceName) => {
    if (!mayCall(caller, fullName))
      throw new RpcError('PERMISSION_DENIED', `${caller} may not call ${fullName}`)
  }
  return {
    fullName,
    kind: method.methodKind,
    async unary(bytes, context) {
      admit(context.caller)
      const request = decode(bytes)
      return encode(await duringRequest(context.requestId, () => handler(request, context)))
    },
    async *stream(bytes, context) {
      admit(context.caller)
      const messages = handler(decode(bytes), context) as AsyncIterable<unknown>
      for await (const message of continued(messages, (next) => duringRequest(context.requestId, next))) {
        yield encode(message)
      }
    },
  }
}

function parse(schema: DescMessage, bytes: Uint8Array) {
  try {
    return fromBinary(schema, bytes)
  } catch (cause) {
    throw new RpcError('INVALID_ARGUMENT', `the request is not a valid ${schema.typeName}`, { cause })
  }
}

const BUCKET_SECONDS = [0.0025, 0.01, 0.025, 0.1, 0.25, 1, 2.5, 10]

type Code = RpcCode | 'OK'
type Observe = (code: Code, startedAt: number) => void

/** Registers how long calls take, and answers what has those of a service measured; a stream is one call until its end. */
export function createCallMeasure(metrics: Metrics): (service: RpcService) => RpcService {
  const observe = metrics.histogram({
    name: 'signet_rpc_request_duration_seconds',
    help: 'Time from a call of another service to the end of its answer, by gRPC status.',
    labels: ['method', 'code'],
    buckets: BUCKET_SECONDS,
  })
  const observing =
    (method: string): Observe =>
    (code, startedAt) =>
      observe({ method, code }, (performance.now() - startedAt) / 1_000)
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
      let failure: string | undefined
      try {
        yield* continued(method.stream(request, context), (next) => tracing.during(span, next))
      } catch (error) {
        failure = errorType(error)
        throw error
      } finally {
        span.end({ errorType: failure })
      }
    },
  }
}

/** Yields the messages of a generator, which runs in the context of the caller that requests the next one, in another. */
async function* continued<Message>(
  messages: AsyncIterable<Message>,
  during: <Result>(next: () => Promise<Result>) => Promise<Result>,
): AsyncIterable<Message> {
  const iterator = messages[Symbol.asyncIterator]()
  const next = () => during(() => iterator.next())
  try {
    for (let message = await next(); !message.done; message = await next()) yield message.value
  } finally {
    await iterator.return?.()
  }
}

/** How both ends of a call to `package.Service/Method` describe it. */
export function callSpan(kind: 'client' | 'server', fullName: string): SpanDescription {
  const [service = '', method = ''] = fullName.split('/')
  return {
    name: fullName,
    kind,
    attributes: { 'rpc.system': 'grpc', 'rpc.service': service, 'rpc.method': method },
  }
}
