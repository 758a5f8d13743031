import type { AttemptKeys } from '../credentials/attempt-keys.ts'
import type { VerifiedAccount } from '../credentials/verify-password.ts'

/** The account as the contract has it. */
export function accountMessage(account: VerifiedAccount, keys: AttemptKeys) {
  return {
    ...account,
    userEpoch: BigInt(account.userEpoch),
    organizationEpoch: BigInt(account.organizationEpoch),
    deviceKey: keys.ofDevices(account),
  }
}
