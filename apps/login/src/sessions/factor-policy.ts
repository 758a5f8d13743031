import type { FactorPolicy, HeldFactors } from '@signet/protocol/factor-demand'

/** The policies of an organization for passwords and second factors. */
interface SignInPolicy extends FactorPolicy {
  /** Failed codes before a delay; 0: no limit. */
  readonly maxOtpAttempts: number
}

export type FindFactorPolicy = (organizationId: string) => Promise<SignInPolicy>

/** The second factors of an account. */
interface SecondFactors extends HeldFactors {
  /** A passkey that may follow a password. */
  readonly passkey: boolean
  /** The policy of the organization lets a passkey follow a password. */
  readonly passkeyAllowed: boolean
  /** Unused recovery codes. */
  readonly recoveryCodes: number
  /** There are browsers that are not asked for the second factor. */
  readonly trustedBrowsers: boolean
}

export type FindSecondFactors = (userId: string) => Promise<SecondFactors>

/** Whether the login policy of an organization lets its users sign in with a passkey alone. */
export type FindPasskeySignIn = (organizationId: string) => Promise<boolean>
