import { type RpcCode, RpcError } from '@signet/grpc/error'
import type { OnError } from '@signet/http/answer-endpoint'
import { answerErrors } from '@signet/http/answer-error'
import type { Logger } from '@signet/platform/logger/logger'
import { DependencyUnavailableError } from '@signet/platform/runtime/dependency-unavailable'
import { OAuthError } from '@signet/protocol/errors'
import { ZodError } from 'zod'
import { ApiError, unavailableError } from './api-error.ts'
import { invalidFieldsOf } from './invalid-fields.ts'

/**
 * Answers errors of the APIs under /admin, /management and /v2: `{"code","message","details":[{"id",…}]}` with gRPC
 * codes. Only an `ApiError` speaks for itself; a `ZodError` names the fields, everything else is INTERNAL without its
 * text, which goes to the log.
 */
export function jsonErrorHandler(logger: Logger): OnError {
  return answerErrors(logger, toApiError)
}

const AWAY: ReadonlySet<RpcCode> = new Set(['UNAVAILABLE', 'DEADLINE_EXCEEDED', 'RESOURCE_EXHAUSTED'])

/** The public part of any thrown value. */
function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof ZodError) return invalidFieldsOf(error)
  if (error instanceof DependencyUnavailableError) return away(`${error.dependency}_unavailable`, error)
  if (error instanceof RpcError && AWAY.has(error.code)) return away('service_unavailable', error)
  // Thrown by the parts that all services share: bodies, unknown paths, methods.
  if (error instanceof OAuthError) return ofHttp(error)
  // The router's own complaint about a path such as /a/%ff.
  if (error instanceof URIError && 'status' in error && error.status === 400) {
    return new ApiError('INVALID_ARGUMENT', 'the path is not percent-encoded UTF-8', {
      reason: 'path_encoding',
      cause: error,
    })
  }
  return new ApiError('INTERNAL', 'The server met an unexpected condition', {
    reason: 'unexpected',
    cause: error,
  })
}

function away(reason: string, cause: unknown): ApiError {
  return unavailableError('The service cannot answer right now; repeat the call in a moment', {
    reason,
    cause,
  })
}

const CODES: Readonly<Record<number, RpcCode>> = {
  400: 'INVALID_ARGUMENT',
  404: 'NOT_FOUND',
  405: 'UNIMPLEMENTED',
  413: 'INVALID_ARGUMENT',
  503: 'UNAVAILABLE',
}

function ofHttp(error: OAuthError): ApiError {
  const { status, reason, headers, message } = error
  return new ApiError(CODES[status] ?? 'INTERNAL', message, { reason, status, headers, cause: error.cause })
}
