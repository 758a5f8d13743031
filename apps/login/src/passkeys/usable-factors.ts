import type { FindPasskeySignIn, FindSecondFactors } from '../sign-in/factor-policy.ts'
import type { OwnPasskey } from '../sign-in/passkeys/own-passkey.ts'

/** The factors besides the password with which a person can authenticate. */
interface UsableFactors {
  readonly totp: boolean
  /** Those that are not cloned and that the policy accepts, alone or after a password. */
  readonly passkeys: readonly OwnPasskey[]
  /** The policy lets a passkey follow a password. */
  readonly passkeyAllowed: boolean
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

export function usableFactorFinder(dependencies: Dependencies): FindUsableFactors {
  const { findSecondFactors, findPasskeySignIn, listPasskeys } = dependencies
  return async ({ userId, organizationId }) => {
    const [{ totp, passkeyAllowed }, signsIn, { passkeys }] = await Promise.all([
      findSecondFactors(userId),
      findPasskeySignIn(organizationId),
      listPasskeys(userId),
    ])
    const usable = passkeyAllowed || signsIn ? passkeys.filter(({ cloned }) => !cloned) : []
    return { totp, passkeys: usable, passkeyAllowed }
  }
}
