import { TemporarilyUnavailableError } from '@signet/oauth-protocol/errors'

/** While the directory is away a form stays on the screen with what was typed. */
export async function orUnavailable<T>(
  work: () => Promise<T>,
): Promise<T | { readonly kind: 'unavailable' }> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof TemporarilyUnavailableError) return { kind: 'unavailable' }
    throw error
  }
}
