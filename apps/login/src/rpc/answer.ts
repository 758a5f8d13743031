import { TemporarilyUnavailableError } from '@signet/oauth-protocol/errors'
import { RpcError } from '@signet/rpc/error'

/** What cannot be answered because a store or a service is away is UNAVAILABLE: the caller repeats. */
export async function answer<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof TemporarilyUnavailableError)
      throw new RpcError('UNAVAILABLE', error.message, { cause: error })
    throw error
  }
}
