import { type RpcCode, RpcError } from '@signet/grpc/error'
import { TemporarilyUnavailableError } from '@signet/protocol/errors'

/** What this service cannot answer without. */
type Dependency = 'redis' | 'postgres' | 'directory' | 'token' | 'keys'

/** The one text for a missing dependency: which one it is concerns operators only. */
export function unavailable(dependency: Dependency, cause: unknown): TemporarilyUnavailableError {
  return new TemporarilyUnavailableError('The service cannot answer right now. Try again in a moment.', {
    reason: `${dependency}_unavailable`,
    cause,
  })
}

/** Runs work against a store; its failure means that the store cannot be used now. */
export async function reach<T>(dependency: 'redis' | 'postgres', work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw unavailable(dependency, error)
  }
}

const AWAY: ReadonlySet<RpcCode> = new Set([
  'UNAVAILABLE',
  'DEADLINE_EXCEEDED',
  'RESOURCE_EXHAUSTED',
  'ABORTED',
])

/** Makes a call; a callee that is away becomes a failure that asking again may mend, anything else is a fault. */
export async function call<T>(dependency: Dependency, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof RpcError && AWAY.has(error.code)) throw unavailable(dependency, error)
    throw error
  }
}
