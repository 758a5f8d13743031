import type { AttemptKeys } from './attempt-keys.ts'
import type { VerifiedAccount } from './verify-password.ts'

/** The account as the contract has it. */
export function accountMessage({ trustSecret, ...account }: VerifiedAccount, keys: AttemptKeys) {
  return {
    ...account,
    ...(trustSecret && {
      trustKey: keys.ofTrustedBrowsers({ ...account, secret: trustSecret }),
    }),
    userEpoch: BigInt(account.userEpoch),
    organizationEpoch: BigInt(account.organizationEpoch),
    deviceKey: keys.ofDevices(account),
  }
}
