import type { VerifiedAccount } from '../credentials/verify-password.ts'

/** The account as the contract has it. */
export function accountMessage(account: VerifiedAccount) {
  return {
    ...account,
    userEpoch: BigInt(account.userEpoch),
    organizationEpoch: BigInt(account.organizationEpoch),
  }
}
