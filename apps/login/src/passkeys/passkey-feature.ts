// Composes the services of passkeys.

import type { OwnAccounts } from '../account/own-accounts.service.ts'
import type { AuthorizationFlow } from '../authorize/authorize.service.ts'
import type { FindBranding } from '../branding/find-branding.ts'
import type { FindAccountNames } from '../sessions/account-names.ts'
import type { RandomBytes } from '../sessions/browser.ts'
import type { BrowserSessions } from '../sessions/browser-sessions.ts'
import type { BrowserTrust } from '../sign-in/browser-trust.ts'
import type { FindFactorPolicy, FindPasskeySignIn, FindSecondFactors } from '../sign-in/factor-policy.ts'
import type { signInMeasure } from '../sign-in/measure-sign-ins.ts'
import type { CheckOwnPassword } from '../sign-in/own-password.ts'
import { createPasskeySignIn, type VerifyPasskey } from '../sign-in/passkeys/passkey.service.ts'
import { createPasskeyChallenges, type UsedChallenges } from '../sign-in/passkeys/passkey-challenge.ts'
import type { SignInSteps } from '../sign-in/sign-in-steps.ts'
import type { ThrottledAttempt } from '../sign-in/throttle.ts'
import type { VerifyCode } from '../sign-in/totp.service.ts'
import { createConfirmation } from './confirm.service.ts'
import { createOwnPasskeys, type PasskeyDirectory } from './own-passkeys.service.ts'
import { confirmedCheck, usableFactorFinder } from './usable-factors.ts'

interface Dependencies {
  readonly ownAccounts: OwnAccounts
  readonly sessions: BrowserSessions
  readonly flow: Pick<AuthorizationFlow, 'assess'>
  readonly directory: PasskeyDirectory
  readonly used: UsedChallenges
  readonly findAccountNames: FindAccountNames
  readonly branding: Pick<FindBranding, 'ofOrganization'>
  readonly findSecondFactors: FindSecondFactors
  readonly findPasskeySignIn: FindPasskeySignIn
  readonly findFactorPolicy: FindFactorPolicy
  readonly checkOwnPassword: CheckOwnPassword
  readonly verifyCode: VerifyCode
  readonly verifyPasskey: VerifyPasskey
  readonly attempt: ThrottledAttempt
  readonly browserTrust: BrowserTrust
  readonly steps: SignInSteps
  readonly measured: ReturnType<typeof signInMeasure>
  readonly masterKeys: readonly Buffer[]
  readonly now: () => Date
  readonly random: RandomBytes
}

/** The services behind the sign-in with passkeys and the pages of their owners. */
export function createPasskeyFeature(dependencies: Dependencies) {
  const { directory, measured } = dependencies
  const challenges = createPasskeyChallenges(dependencies)
  const listPasskeys = directory.list
  const findUsableFactors = usableFactorFinder({ ...dependencies, listPasskeys })
  const isConfirmed = confirmedCheck(findUsableFactors, dependencies.now)
  const shared = { ...dependencies, challenges, listPasskeys, findUsableFactors, isConfirmed }
  const passkeySignIn = createPasskeySignIn({
    ...shared,
    beginPasskey: directory.begin,
    addPasskey: directory.add,
  })
  return {
    challenges,
    isConfirmed,
    passkeySignIn: {
      ...passkeySignIn,
      signIn: measured('passkey', passkeySignIn.signIn),
      proveSecondFactor: measured('passkey_after_password', passkeySignIn.proveSecondFactor),
    },
    ownPasskeys: createOwnPasskeys(shared),
    confirmation: createConfirmation(shared),
  }
}
