import { RPC_CODES, type RpcCode } from '@signet/grpc/error'

/** The part of a member of `details` that a program reads; `id` is a snake_case label. */
export type ErrorDetail = Readonly<{ id: string } & Record<string, unknown>>

interface ApiErrorOptions {
  /** A snake_case label for programs, logs and metrics: the `id` of the first detail unless details are given. */
  readonly reason: string
  readonly details?: readonly ErrorDetail[]
  /** Status where a rule of HTTP itself requires another one than the code: 405, 412, 413. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly cause?: unknown
}

/** The only kind of error whose text may reach a client of a JSON API. Anything else becomes INTERNAL without text. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly code: RpcCode
  readonly reason: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly #details: readonly ErrorDetail[]

  /** `message` names the field and the rule: nothing internal, no text of a cause. */
  constructor(code: RpcCode, message: string, options: ApiErrorOptions) {
    super(message, options.cause === undefined ? {} : { cause: options.cause })
    this.code = code
    this.reason = options.reason
    this.status = options.status ?? HTTP_STATUS[code]
    this.headers = options.headers ?? {}
    this.#details = options.details ?? [{ id: options.reason }]
  }

  toResponseBody(): { code: number; message: string; details: readonly ErrorDetail[] } {
    return { code: RPC_CODES[this.code], message: this.message, details: this.#details }
  }
}

/** A dependency is away: 503, and asking again after `retryAfterSeconds` is harmless. */
export function unavailableError(
  message: string,
  options: { readonly reason: string; readonly cause?: unknown; readonly retryAfterSeconds?: number },
): ApiError {
  const { reason, cause, retryAfterSeconds = 1 } = options
  return new ApiError('UNAVAILABLE', message, {
    reason,
    cause,
    headers: { 'Retry-After': String(retryAfterSeconds) },
  })
}

/** The HTTP status under which the JSON APIs answer each gRPC code. */
export const HTTP_STATUS: Readonly<Record<RpcCode, number>> = {
  CANCELLED: 499,
  UNKNOWN: 500,
  INVALID_ARGUMENT: 400,
  DEADLINE_EXCEEDED: 504,
  NOT_FOUND: 404,
  ALREADY_EXISTS: 409,
  PERMISSION_DENIED: 403,
  RESOURCE_EXHAUSTED: 429,
  FAILED_PRECONDITION: 400,
  ABORTED: 409,
  UNIMPLEMENTED: 501,
  INTERNAL: 500,
  UNAVAILABLE: 503,
  UNAUTHENTICATED: 401,
}
