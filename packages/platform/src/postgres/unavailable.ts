import { DependencyUnavailableError } from '../runtime/dependency-unavailable.ts'

/** The server to which a connection leads follows another one: it is behind, and what is read there may have ended. */
export class ServerInRecoveryError extends Error {
  override readonly name = 'ServerInRecoveryError'
}

/** No response within the time that this process allows; says nothing about whether the statement took effect. */
export class QueryTimeoutError extends Error {
  override readonly name = 'QueryTimeoutError'
}

/**
 * SQLSTATE codes (PostgreSQL manual, appendix A) after which the same statement may succeed later and nothing is half
 * done. On the same connection: serialization failures, deadlocks, statements that took too long, locks waited for too
 * long, a disk or the server's storage that is full, too many connections, an I/O error.
 */
const PASSING_STATES = /^(40001|40P01|57014|55P03|53...|58030)$/

/**
 * SQLSTATE codes that last as long as this connection does: connection exceptions, a server that stops or starts, a
 * dropped database, a session that was ended for its idleness, a refused password, and a server that became read-only.
 */
const LASTING_STATES = /^(08...|57P0.|25P03|25P04|25006|28000|28P01|3D000)$/

/** Error codes of sockets, and texts of the driver that come without a code. */
const SOCKET_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
])
const DRIVER_TEXTS =
  /^Connection terminated|^timeout exceeded when trying to connect|^Client has encountered a connection error|^Client was closed/
const DRIVER_TIMEOUT = 'Query read timeout'

/** The driver's time-out as QueryTimeoutError, everything else as it is. */
export function withTimeout(error: unknown): unknown {
  if (!(error instanceof Error) || error.message !== DRIVER_TIMEOUT) return error
  return new QueryTimeoutError('PostgreSQL did not respond in time', { cause: error })
}

/** A failure that passes as DependencyUnavailableError, everything else as it is. */
export function translated(error: unknown): unknown {
  return isPassing(error) || isOfConnection(error) ? new DependencyUnavailableError('postgres', error) : error
}

/** Whether a connection cannot be used any more after this error: another one may lead to a server that can. */
export function isOfConnection(error: unknown): boolean {
  if (error instanceof QueryTimeoutError || error instanceof ServerInRecoveryError) return true
  if (error instanceof AggregateError) return error.errors.some(isOfConnection)
  if (!(error instanceof Error)) return false
  const code = codeOf(error)
  if (code === undefined) return DRIVER_TEXTS.test(error.message)
  return SOCKET_CODES.has(code) || LASTING_STATES.test(code)
}

/**
 * Whether the server responds and a statement took longer than it may: the server is busy, or the statement has too much to
 * do, so that repeating it does not help.
 */
export function isStatementTimeout(error: unknown): boolean {
  const { cause } = error instanceof DependencyUnavailableError ? error : {}
  return cause instanceof Error && codeOf(cause) === '57014'
}

/** Whether the server responds and can write nothing: its disk is full or it is read-only. */
export function isWriteRefused(error: unknown): boolean {
  const { cause } = error instanceof DependencyUnavailableError ? error : {}
  return cause instanceof Error && ['53100', '25006'].includes(codeOf(cause) ?? '')
}

function isPassing(error: unknown): boolean {
  return error instanceof Error && PASSING_STATES.test(codeOf(error) ?? '')
}

function codeOf(error: Error): string | undefined {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' ? code : undefined
}
