import { type RpcCode, RpcError } from '@signet/grpc/error'
import { OAuthError, TemporarilyUnavailableError } from '@signet/protocol/errors'

/** Stores and services that this service needs to respond. */
type Dependency = 'redis' | 'postgres' | 'directory' | 'token' | 'keys' | 'federation'

/** The error for an unavailable dependency. Its text does not name the dependency; `reason`, for the log, does. */
export function unavailable(dependency: Dependency, cause: unknown): TemporarilyUnavailableError {
  return new TemporarilyUnavailableError('The service cannot answer right now. Try again in a moment.', {
    reason: `${dependency}_unavailable`,
    cause,
  })
}

/** Runs a query against a store. An error becomes TemporarilyUnavailableError, except one for the client. */
export async function queryStore<T>(dependency: 'redis' | 'postgres', work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof OAuthError ? error : unavailable(dependency, error)
  }
}

const RETRYABLE: ReadonlySet<RpcCode> = new Set([
  'UNAVAILABLE',
  'DEADLINE_EXCEEDED',
  'RESOURCE_EXHAUSTED',
  'ABORTED',
])

/** Runs a gRPC call. A status after which the call can be repeated becomes TemporarilyUnavailableError. */
export async function callService<T>(dependency: Dependency, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof RpcError && RETRYABLE.has(error.code)) throw unavailable(dependency, error)
    throw error
  }
}
