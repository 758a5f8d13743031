import { type RpcCode, RpcError } from '@signet/grpc/error'
import type { OnError } from '@signet/http/hot-endpoint'
import { createErrorAnswers } from '@signet/http/oauth-error-handler'
import type { Logger } from '@signet/platform/logger/logger'
import { isStatementTimeout } from '@signet/platform/postgres/unavailable'
import { DependencyUnavailableError } from '@signet/platform/runtime/dependency-unavailable'
import { OAuthError } from '@signet/protocol/errors'
import { ZodError, type z } from 'zod'
import { ApiError, unavailableError } from './api-error.ts'

/**
 * Answers errors of the APIs under /admin, /management and /v2: `{"code","message","details":[{"id",…}]}` with gRPC
 * codes. Only an `ApiError` speaks for itself; a `ZodError` names the fields, everything else is INTERNAL without its
 * text, which goes to the log.
 */
export function jsonErrorHandler(logger: Logger): OnError {
  return createErrorAnswers(logger, toApiError)
}

const AWAY: ReadonlySet<RpcCode> = new Set(['UNAVAILABLE', 'DEADLINE_EXCEEDED', 'RESOURCE_EXHAUSTED'])

/** The public part of any thrown value. */
function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof ZodError) return invalidFieldsOf(error)
  if (isStatementTimeout(error)) {
    return unavailableError(
      'The database did not finish the call in time and changed nothing: it is busy, or the call is too large; repeat it later, or in smaller parts',
      { reason: 'postgres_timeout', cause: error },
    )
  }
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
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
}

function ofHttp(error: OAuthError): ApiError {
  const { status, reason, headers, message } = error
  return new ApiError(CODES[status] ?? 'INTERNAL', message, { reason, status, headers, cause: error.cause })
}

interface FieldProblem {
  /** `addresses[0].locality`; empty for the body as a whole. */
  readonly field: string
  readonly rule: string
}

/** Bounds the response to a request with many problems. */
const MOST_PROBLEMS = 20

/** 400 that names fields and the rules they break: the first 20 problems, and the number of the others. */
export function invalidFields(problems: readonly FieldProblem[], cause?: unknown): ApiError {
  const named = problems
    .slice(0, MOST_PROBLEMS)
    .map(({ field, rule }) => ({ field: shortened(field), rule: shortened(rule) }))
  const others = problems.length - named.length
  const texts = named.map(({ field, rule }) => (field === '' ? rule : `${field}: ${rule}`))
  const message = texts.join('; ') + (others > 0 ? `; and ${others} more` : '')
  return new ApiError('INVALID_ARGUMENT', message, {
    reason: 'fields_invalid',
    details: [
      ...named.map(({ field, rule }) => ({ id: 'field_invalid', field, rule })),
      ...(others > 0 ? [{ id: 'more_fields_invalid', count: others }] : []),
    ],
    cause,
  })
}

/** A part of a request may stand in a problem; the answer does not become as long as the request. */
const shortened = (text: string) => (text.length > 500 ? `${text.slice(0, 500)}…` : text)

/**
 * The same for the issues of a schema; with `reportInput` a missing field and one of another type have different
 * rules.
 */
export function invalidFieldsOf(error: ZodError): ApiError {
  return invalidFields(
    error.issues.flatMap((issue) => problemsOf(issue, [])),
    error,
  )
}

type Path = readonly PropertyKey[]

function problemsOf(issue: z.core.$ZodIssue, parent: Path): FieldProblem[] {
  const path = [...parent, ...issue.path]
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ field: written([...path, key]), rule: 'unknown field' }))
  if (issue.code === 'invalid_union') {
    const nested = issue.errors.at(-1)?.flatMap((inner) => problemsOf(inner, path)) ?? []
    if (nested.length > 0) return nested
  }
  return [{ field: written(path), rule: isMissing(issue) ? 'is required' : issue.message }]
}

/** Issues contain the input only when the parser was asked to report it. */
function isMissing(issue: z.core.$ZodIssue): boolean {
  if (issue.code !== 'invalid_type' && issue.code !== 'invalid_value') return false
  return 'input' in issue ? issue.input === undefined : issue.message.endsWith('received undefined')
}

function written(path: Path): string {
  return path.map(segment).join('').replace(/^\./, '')
}

function segment(part: PropertyKey): string {
  if (typeof part === 'number') return `[${part}]`
  // Only a part that looks like a name is repeated; other text could be confidential.
  return /^\w{1,60}$/.test(String(part)) ? `.${String(part)}` : '.(unprintable)'
}
