import { DependencyUnavailableError } from '@signet/service-runtime/dependency-unavailable'

/**
 * SQLSTATE codes after which the same statement may succeed a moment later, with nothing half done: connection
 * exceptions, a server that stops or starts, too many connections, a lock waited for too long, a deadlock.
 */
const PASSING_STATES = new Set(['57P01', '57P02', '57P03', '53300', '55P03', '40P01', '40001'])

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
  /^Connection terminated|^timeout exceeded when trying to connect|^Client has encountered a connection error/

/** A passing failure as DependencyUnavailableError, everything else as it is. */
export function translated(error: unknown): unknown {
  return isPassing(error) ? new DependencyUnavailableError('postgres', error) : error
}

function isPassing(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isPassing)
  if (!(error instanceof Error)) return false
  const code = (error as { code?: unknown }).code
  if (typeof code !== 'string') return DRIVER_TEXTS.test(error.message)
  return PASSING_STATES.has(code) || SOCKET_CODES.has(code) || /^08...$/.test(code)
}
