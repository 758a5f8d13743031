import type { Logger } from '@signet/platform/logger/logger'
import { DependencyUnavailableError } from '@signet/platform/runtime/dependency-unavailable'
import {
  InvalidRequestError,
  OAuthError,
  ServerError,
  TemporarilyUnavailableError,
} from '@signet/protocol/errors'
import { ZodError } from 'zod'
import type { OnError } from './answer-endpoint.ts'
import { answerErrors } from './answer-error.ts'

/**
 * Answers errors as RFC 6749 section 5.2 wants them. Only an `OAuthError` speaks for itself; a `ZodError` names the
 * parameters, everything else is `server_error` without its text, which goes to the log.
 */
export function oauthErrorHandler(logger: Logger): OnError {
  return answerErrors(logger, toOAuthError)
}

/** The public part of any thrown value. */
export function toOAuthError(error: unknown): OAuthError {
  if (error instanceof OAuthError) return error
  if (error instanceof ZodError) {
    const names = [...new Set(error.issues.map((issue) => issue.path.join('.')))].filter(
      (name) => name !== '',
    )
    const which =
      names.length > 0 ? `missing or invalid: ${names.join(', ')}` : 'the parameters are not valid'
    return new InvalidRequestError(which, { reason: 'parameters_invalid', cause: error })
  }
  // The router's own complaint about a path such as /a/%ff.
  if (error instanceof URIError && 'status' in error && error.status === 400) {
    return new InvalidRequestError('the path is not percent-encoded UTF-8', {
      reason: 'path_encoding',
      cause: error,
    })
  }
  if (error instanceof DependencyUnavailableError) {
    return new TemporarilyUnavailableError(
      'The service cannot answer right now; repeat the call in a moment',
      {
        reason: `${error.dependency}_unavailable`,
        cause: error,
      },
    )
  }
  return new ServerError({ reason: 'unexpected', cause: error })
}
