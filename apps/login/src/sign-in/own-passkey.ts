import type { OwnChange } from '../sessions/sign-in-proof.ts'
import type { ChallengedResponse } from './passkey-challenge.ts'
/** A passkey of a user, as the directory lists it. */
export interface OwnPasskey {
  readonly id: string
  /** Base64url. */
  readonly credentialId: string
  readonly transports: readonly string[]
  readonly name: string
  readonly createdAt: Date
  readonly lastUsedAt: Date | undefined
  /** Whether the private key may be on several devices, and is. */
  readonly backupEligible: boolean
  readonly backedUp: boolean
  /** Whether its counter went back: it signs in no more. */
  readonly cloned: boolean
}

/** A person for whom a browser makes a passkey. */
export interface PasskeyPerson {
  /** Base64url. */
  readonly userHandle: string
  readonly loginName: string
  readonly displayName: string
  /** An authenticator that has one of these makes no second one. */
  readonly passkeys: readonly OwnPasskey[]
}

/** Returns undefined where the account can add no passkey. */
export type BeginPasskey = (owner: OwnChange) => Promise<PasskeyPerson | undefined>

/** Returns the new passkey with its authentication methods; undefined when it was refused. */
export type AddPasskey = (
  owner: OwnChange,
  request: Omit<ChallengedResponse, 'credentialId'> & {
    /** Whether a factor was proven: without it the directory refuses accounts that have a factor already. */
    readonly factorProven: boolean
  },
) => Promise<{ readonly passkeyId: string; readonly amr: readonly string[] } | undefined>
