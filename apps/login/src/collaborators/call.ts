import { type RpcCode, RpcError } from '@signet/rpc/error'
import { type Dependency, unavailable } from '../dependency.ts'

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
