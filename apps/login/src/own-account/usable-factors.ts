import { type BrowserSession, recentProof } from '../sessions/browser-session.ts'
import type { FindPasskeySignIn, FindSecondFactors } from '../sessions/factor-policy.ts'
import type { OwnPasskey } from '../sign-in/own-passkey.ts'

/** The factors besides the password with which a person can authenticate. */
interface UsableFactors {
  readonly totp: boolean
  /** Unused recovery codes. */
  readonly recoveryCodes: number
  /** Passkeys that are not cloned and that the policy accepts, alone or after a password. */
  readonly passkeys: readonly OwnPasskey[]
  /** The policy lets a passkey follow a password. */
  readonly passkeyAllowed: boolean
  /** Whether there is a passkey, also one that does not count. */
  readonly anyPasskey: boolean
}

interface Account {
  readonly userId: string
  readonly organizationId: string
}

export type FindUsableFactors = (account: Account) => Promise<UsableFactors>

interface Dependencies {
  readonly findSecondFactors: FindSecondFactors
  readonly findPasskeySignIn: FindPasskeySignIn
  readonly listPasskeys: (userId: string) => Promise<{ readonly passkeys: readonly OwnPasskey[] }>
}

export function createUsableFactorFinder(dependencies: Dependencies): FindUsableFactors {
  const { findSecondFactors, findPasskeySignIn, listPasskeys } = dependencies
  return async ({ userId, organizationId }) => {
    const [{ totp, passkeyAllowed, anyPasskey, recoveryCodes }, signsIn, { passkeys }] = await Promise.all([
      findSecondFactors(userId),
      findPasskeySignIn(organizationId),
      listPasskeys(userId),
    ])
    const usable = passkeyAllowed || signsIn ? passkeys.filter(({ cloned }) => !cloned) : []
    return { totp, recoveryCodes, passkeys: usable, passkeyAllowed, anyPasskey }
  }
}

/** Whether the user of a session authenticated a short time ago, so that the account may be changed. */
export type IsConfirmed = (session: BrowserSession) => Promise<boolean>

/**
 * The password is not enough where the account has another factor, also one that no longer counts: who knows it alone must not
 * add or delete one.
 */
export function createConfirmedCheck(findUsableFactors: FindUsableFactors, now: () => Date): IsConfirmed {
  return async (session) => {
    const proof = recentProof(session, now().getTime())
    if (proof !== 'password') return proof === 'factor'
    const { totp, passkeys, anyPasskey } = await findUsableFactors(session)
    return !totp && !anyPasskey && passkeys.length === 0
  }
}
