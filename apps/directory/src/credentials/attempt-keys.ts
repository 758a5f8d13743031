import { createMasterKeyMac } from '@signet/tokens/master-key-mac'
import { parseLoginName, resolveLoginName, type SignInContext } from '../accounts/login-name.ts'
import type { CredentialStore } from './credential.repository.ts'

/**
 * Opaque keys for the counters and device cookies of the login service. They change with the newest master
 * key.
 */
export interface AttemptKeys {
  ofAccount(userId: string): string
  /** Returns the key of a normalised login name that means no account. */
  ofName(loginName: string): string
  /** Returns the key of the browsers that signed an account in. It changes with the user epoch, as the sessions do. */
  ofDevices(account: { readonly userId: string; readonly userEpoch: number }): string
  /** Returns the key of the trusted browsers of an account. It changes with the user epoch and with the secret. */
  ofTrustedBrowsers(account: {
    readonly userId: string
    readonly userEpoch: number
    readonly secret: Buffer
  }): string
  /** The same for a login name that means no account. */
  ofNoDevices(loginName: string): string
}

export function createAttemptKeys(masterKeys: readonly Buffer[]): AttemptKeys {
  const attempts = createMasterKeyMac(masterKeys, 'signet sign-in attempts')
  const devices = createMasterKeyMac(masterKeys, 'signet sign-in devices')
  const trusted = createMasterKeyMac(masterKeys, 'signet trusted browsers')
  return {
    ofAccount: (userId) => attempts.of(`account ${userId}`).toString('base64url'),
    ofName: (loginName) => attempts.of(`name ${loginName}`).toString('base64url'),
    ofDevices: ({ userId, userEpoch }) => devices.of(`account ${userEpoch} ${userId}`).toString('base64url'),
    ofTrustedBrowsers: ({ userId, userEpoch, secret }) =>
      trusted.of(`${secret.toString('base64url')} ${userEpoch} ${userId}`).toString('base64url'),
    ofNoDevices: (loginName) => devices.of(`name ${loginName}`).toString('base64url'),
  }
}

/** Key under which the failures of a sign-in count. */
export interface AttemptKey {
  readonly attemptKey: string
  readonly deviceKey: string
  /** 0: any number may fail. */
  readonly maxPasswordAttempts: number
}

interface Dependencies {
  readonly credentials: CredentialStore
  readonly keys: AttemptKeys
}

/**
 * All names of an account count as one. A name that means none has a count of its own, and the limit of the organization
 * that it most likely belongs to: the one that was asked for, that of its domain, that of the application, else the default one. Both ways ask
 * the database the same, so that the time does not tell them apart.
 */
export function createFindAttemptKey({ credentials, keys }: Dependencies) {
  return async (typed: string, context: SignInContext): Promise<AttemptKey> => {
    const loginName = parseLoginName(typed)
    const [candidates, limitOfName] = await Promise.all([
      credentials.candidates(loginName, context),
      credentials.attemptLimit(loginName, context),
    ])
    const found = resolveLoginName(candidates)
    if (found === undefined) {
      const [name] = loginName.userNames
      return {
        attemptKey: keys.ofName(name),
        deviceKey: keys.ofNoDevices(name),
        maxPasswordAttempts: limitOfName,
      }
    }
    return {
      attemptKey: keys.ofAccount(found.userId),
      deviceKey: keys.ofDevices(found),
      maxPasswordAttempts: found.maxPasswordAttempts,
    }
  }
}
