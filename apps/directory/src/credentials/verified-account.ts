import { RpcError } from '@signet/grpc/error'
import { BusyError } from '@signet/password-hash/password-hasher'
import type { AttemptKeys } from './attempt-keys.ts'
import type { VerifiedAccount } from './verify-password.ts'

/** The account as the contract has it. */
export function accountMessage(account: VerifiedAccount, keys: AttemptKeys) {
  return {
    ...account,
    userEpoch: BigInt(account.userEpoch),
    organizationEpoch: BigInt(account.organizationEpoch),
    deviceKey: keys.ofDevices(account),
  }
}

/** Too many passwords are being hashed: RESOURCE_EXHAUSTED instead of an error of this service. */
export async function orExhausted<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof BusyError) throw new RpcError('RESOURCE_EXHAUSTED', error.message, { cause: error })
    throw error
  }
}
