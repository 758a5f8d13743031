import { createMasterKeyMac } from '@signet/tokens/master-key-mac'

/**
 * Opaque keys for the counters and device cookies of the login service. They change with the newest master
 * key.
 */
export interface AttemptKeys {
  ofAccount(userId: string): string
  /** Of a normalised login name that means no account. */
  ofName(loginName: string): string
  /**
   * Of the browsers that signed an account in; changes with the user epoch, as the sessions of the account
   * do.
   */
  ofDevices(account: { readonly userId: string; readonly userEpoch: number }): string
  /** The same for a login name that means no account. */
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
