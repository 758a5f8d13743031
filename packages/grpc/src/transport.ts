import type { DescMethod } from '@bufbuild/protobuf'

export interface UnaryOptions {
  /** Every unary call has a deadline; milliseconds. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal
  readonly requestId?: string
  /** The trace that the callee is to continue. */
  readonly traceparent?: string
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
