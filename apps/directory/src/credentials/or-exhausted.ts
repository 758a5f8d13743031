import { RpcError } from '@signet/grpc/error'
import { BusyError } from '@signet/password-hash/password-hasher'

/** Too many passwords are being hashed: RESOURCE_EXHAUSTED instead of an error of this service. */
export async function orExhausted<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof BusyError) throw new RpcError('RESOURCE_EXHAUSTED', error.message, { cause: error })
    throw error
  }
}
