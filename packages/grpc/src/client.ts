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
import { currentRequestId } from '@signet/platform/runtime/current-request'

type Call<M> =
  M extends DescMethodUnary<infer I, infer O>
    ? (request: MessageInitShape<I>, options: UnaryOptions) => Promise<MessageShape<O>>
    : M extends DescMethodServerStreaming<infer I, infer O>
      ? (request: MessageInitShape<I>, options?: StreamOptions) => AsyncIterable<MessageShape<O>>
      : never

/** A typed client of one service; unary calls cannot be made without a deadline. */
export type RpcClient<S extends DescService> = { readonly [K in keyof S['method']]: Call<S['method'][K]> }

/** Makes a client over any transport. Calls reject with RpcError. */
export function rpcClient<S extends DescService>(descriptor: S, transport: RpcTransport): RpcClient<S> {
  const calls = descriptor.methods.map((method) => [method.localName, createMethodCall(method, transport)])
  return Object.fromEntries(calls) as RpcClient<S>
}

function createMethodCall(method: DescMethod, transport: RpcTransport) {
  const encode = (init: unknown) =>
    toBinary(method.input, create(method.input, init as MessageInitShape<typeof method.input>))
  if (method.methodKind === 'unary') {
    return async (init: unknown, options: UnaryOptions) =>
      fromBinary(method.output, await transport.unary(method, encode(init), ofRequest(options)))
  }
  return async function* (init: unknown, options: StreamOptions = {}) {
    for await (const bytes of transport.serverStream(method, encode(init), ofRequest(options))) {
      yield fromBinary(method.output, bytes)
    }
  }
}

/** The callee does its work as that of the request in which it is called. */
function ofRequest<Options extends StreamOptions>(options: Options): Options {
  const requestId = currentRequestId()
  return requestId === undefined ? options : { requestId, ...options }
}

/**
 * Time for a call that may run twice: three seconds until the connection of a replica that hangs is closed, and two for the
 * call at another replica. With less, the call fails before it is repeated.
 */
export const REPEATED_CALL_TIMEOUT_MS = 5_000

export interface UnaryOptions {
  /** Every unary call has a deadline; milliseconds. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal
  readonly requestId?: string
  /** The trace that the callee is to continue. */
  readonly traceparent?: string
  /** Prevents a second attempt, for a request with a credential that may be used once. */
  readonly isSingle?: boolean
}

export interface StreamOptions {
  readonly signal?: AbortSignal
  readonly requestId?: string
  /** The trace that the callee is to continue. */
  readonly traceparent?: string
}

/** Carries encoded messages to one callee. Every failure is an RpcError. */
export interface RpcTransport {
  unary(method: DescMethod, request: Uint8Array, options: UnaryOptions): Promise<Uint8Array>
  serverStream(method: DescMethod, request: Uint8Array, options: StreamOptions): AsyncIterable<Uint8Array>
}
