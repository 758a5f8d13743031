import type { Logger } from '@signet/platform/logger/logger'
import { DependencyUnavailableError } from '@signet/platform/runtime/dependency-unavailable'
import {
  InvalidRequestError,
  OAuthError,
  type RefusedValues,
  ServerError,
  TemporarilyUnavailableError,
} from '@signet/protocol/errors'
import { ZodError } from 'zod'
import { jsonAnswer, sendAnswer } from './endpoint.ts'
import type { OnError } from './hot-endpoint.ts'
import { createRefusalRecorder, type RefusalRecorder, refusalFields } from './refusals.ts'

/**
 * Answers errors as RFC 6749 section 5.2 wants them. Only an `OAuthError` speaks for itself; a `ZodError` names the
 * parameters, everything else is `server_error` without its text, which goes to the log.
 */
export function oauthErrorHandler(logger: Logger, refusals?: RefusalRecorder): OnError {
  return createErrorAnswers(logger, toOAuthError, refusals)
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

/** The part of an error for the client, and the part for the log. */
interface ErrorAnswer extends Error {
  readonly code: string
  readonly reason: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly values?: RefusedValues
  readonly isRefusal?: boolean
  toResponseBody(): object
}

/** Logs errors and answers them in the shape that `toAnswer` gives any thrown value. */
export function createErrorAnswers(
  logger: Logger,
  toAnswer: (error: unknown) => ErrorAnswer,
  refusals = createRefusalRecorder(logger),
): OnError {
  return (error, req, res) => {
    const answer = toAnswer(error)
    const { status } = answer
    if (status < 500) {
      if (answer.isRefusal !== false) refusals.refused(req, answer)
    } else logger.error('request_failed', { ...refusalFields(req, answer), error: answer.cause ?? answer })
    // Half an answer cannot become an error any more; a cut connection at least cannot be mistaken for a whole one.
    if (res.headersSent) {
      res.destroy()
      return
    }
    res.setHeader('Cache-Control', 'no-store')
    for (const name in answer.headers) res.setHeader(name, answer.headers[name] ?? '')
    const { headers, body } = jsonAnswer(answer.toResponseBody())
    sendAnswer(res, [], { status, headers, body })
  }
}
