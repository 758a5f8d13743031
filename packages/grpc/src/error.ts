import { DependencyUnavailableError } from '@signet/platform/runtime/dependency-unavailable'
import { TemporarilyUnavailableError } from '@signet/protocol/errors'

/** The status codes of gRPC that this suite uses, by their names in the specification. */
export const RPC_CODES = {
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  UNAUTHENTICATED: 16,
} as const

export type RpcCode = keyof typeof RPC_CODES

/** A call that did not succeed. `message` may cross the wire: it names the field and the rule, never internals. */
export class RpcError extends Error {
  readonly code: RpcCode

  constructor(code: RpcCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'RpcError'
    this.code = code
  }
}

/**
 * The public form of a failure: an RpcError as it is, a temporary failure as UNAVAILABLE, so that the caller repeats,
 * anything else as INTERNAL without text.
 */
export function toRpcError(error: unknown): RpcError {
  if (error instanceof RpcError) return error
  if (error instanceof TemporarilyUnavailableError) {
    return new RpcError('UNAVAILABLE', error.message, { cause: error })
  }
  if (error instanceof DependencyUnavailableError) {
    return new RpcError('UNAVAILABLE', 'what the service needs is away; repeat the call', { cause: error })
  }
  return new RpcError('INTERNAL', 'internal error', { cause: error })
}

const NAMES = new Map<number, RpcCode>(
  Object.entries(RPC_CODES).map(([name, number]) => [number, name as RpcCode]),
)

/** The name of a numeric status; numbers outside the table are UNKNOWN. */
export function rpcCodeOf(status: number): RpcCode {
  return NAMES.get(status) ?? 'UNKNOWN'
}
