import { TemporarilyUnavailableError } from '@signet/oauth-protocol/errors'

/** What this service cannot answer without. */
export type Dependency = 'redis' | 'postgres' | 'directory' | 'token' | 'keys'

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
