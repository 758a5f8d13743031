import { createMasterKeyMac } from '@signet/tokens/master-key-mac'

/** Opaque names for what the login service counts and remembers. They change with the newest master key. */
export interface AttemptKeys {
  ofAccount(userId: string): string
  /** Of a normalised login name that means no account. */
  ofName(loginName: string): string
  /** Of the browsers that signed an account in: ends with what ends the sessions of the account. */
  ofDevices(account: { readonly userId: string; readonly userEpoch: number }): string
  /** That of a login name which means no account. */
  ofNoDevices(loginName: string): string
}

export function createAttemptKeys(masterKeys: readonly Buffer[]): AttemptKeys {
  const attempts = createMasterKeyMac(masterKeys, 'signet sign-in attempts')
  const devices = createMasterKeyMac(masterKeys, 'signet sign-in devices')
  return {
    ofAccount: (userId) => attempts.of(`account ${userId}`).toString('base64url'),
    ofName: (loginName) => attempts.of(`name ${loginName}`).toString('base64url'),
    ofDevices: ({ userId, userEpoch }) => devices.of(`account ${userEpoch} ${userId}`).toString('base64url'),
    ofNoDevices: (loginName) => devices.of(`name ${loginName}`).toString('base64url'),
  }
}
