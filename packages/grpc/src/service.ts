import {
  create,
  type DescMethod,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  type DescService,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf'
import type { ServiceName } from '@signet/platform/process/service'
import { mayCall } from './caller-table.ts'
import { RpcError } from './error.ts'

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

/** One method, ready for any transport: bytes in, bytes out, the caller table applied. */
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
  const decode = (bytes: Uint8Array) => fromBinary(method.input, bytes)
  const encode = (init: unknown) =>
    toBinary(method.output, create(method.output, init as MessageInitShape<typeof method.output>))
  const admit = (caller: ServiceName) => {
    if (!mayCall(caller, fullName))
      throw new RpcError('PERMISSION_DENIED', `${caller} may not call ${fullName}`)
  }
  return {
    fullName,
    kind: method.methodKind,
    async unary(request, context) {
      admit(context.caller)
      return encode(await handler(decode(request), context))
    },
    async *stream(request, context) {
      admit(context.caller)
      for await (const message of handler(decode(request), context) as AsyncIterable<unknown>) {
        yield encode(message)
      }
    },
  }
}
