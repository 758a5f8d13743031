import { TemporarilyUnavailableError } from '@signet/oauth-protocol/errors'
import { RpcError } from '@signet/rpc/error'

/** What is recorded but not yet in force everywhere is UNAVAILABLE: the caller repeats. */
export async function final(ending: Promise<void>): Promise<void> {
  try {
    await ending
  } catch (error) {
    if (error instanceof TemporarilyUnavailableError)
      throw new RpcError('UNAVAILABLE', error.message, { cause: error })
    throw error
  }
}
