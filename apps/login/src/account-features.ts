// Composes the services behind passkeys, second factors and the pages on which people look after their own accounts.

import { type RpcTransport, rpcClient } from '@signet/grpc/client'
import { OwnAccountService } from '@signet/grpc/gen/directory/v1/own_account_service_pb'
import type { AuthorizationFlow } from './authorize/authorization-flow.ts'
import type { FindBranding } from './branding/find-branding.ts'
import { everywhereSignOut, ownDirectory, passwordReplacer } from './clients/own-account.ts'
import { createOwnApplications } from './own-account/applications.service.ts'
import { createConfirmation } from './own-account/confirm.service.ts'
import { createOwnFactors } from './own-account/own-factors.service.ts'
import { createOwnPasskeys, type PasskeyDirectory } from './own-account/own-passkeys.service.ts'
import { createOwnSecurity } from './own-account/own-security.service.ts'
import { confirmedCheck, usableFactorFinder } from './own-account/usable-factors.ts'
import type { FindAccountNames } from './sessions/account-names.ts'
import type { RandomBytes } from './sessions/browser.ts'
import type { BrowserSessions } from './sessions/browser-sessions.ts'
import type { EndOfFactor } from './sessions/end-of-factor.ts'
import type { FindFactorPolicy, FindPasskeySignIn, FindSecondFactors } from './sessions/factor-policy.ts'
import type { OwnAccounts } from './sessions/own-accounts.service.ts'
import type { BrowserTrust } from './sign-in/browser-trust.ts'
import type { signInMeasure } from './sign-in/measure-sign-ins.ts'
import type { CheckOwnPassword } from './sign-in/own-password.ts'
import { createPasskeySignIn, type VerifyPasskey } from './sign-in/passkey.service.ts'
import { createPasskeyChallenges, type UsedChallenges } from './sign-in/passkey-challenge.ts'
import type { SignInSteps } from './sign-in/sign-in-steps.ts'
import type { ThrottledAttempt } from './sign-in/throttle.ts'
import { createEnrolment, createSecondFactor, type VerifyCode } from './sign-in/totp.service.ts'

interface PasskeyDependencies {
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
  readonly endOfFactor: EndOfFactor
  readonly measured: ReturnType<typeof signInMeasure>
  readonly masterKeys: readonly Buffer[]
  readonly now: () => Date
  readonly random: RandomBytes
}

/** The services behind the sign-in with passkeys and the pages of their owners. */
export function createPasskeyFeature(dependencies: PasskeyDependencies) {
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

type FactorDependencies = Parameters<typeof createSecondFactor>[0] &
  Omit<Parameters<typeof createEnrolment>[0], 'makeRecoveryCodes'> &
  Parameters<typeof createOwnFactors>[0] & {
    readonly measured: ReturnType<typeof signInMeasure>
  }

/** Codes at a sign-in, enrolment, and the pages of their owners. */
export function createFactorFeature(dependencies: FactorDependencies) {
  const { measured, directory } = dependencies
  const secondFactor = createSecondFactor(dependencies)
  const enrolment = createEnrolment({ ...dependencies, makeRecoveryCodes: directory.makeRecoveryCodes })
  return {
    secondFactor: { ...secondFactor, signIn: measured('code', secondFactor.signIn) },
    enrolment: { ...enrolment, confirm: measured('enrolment', enrolment.confirm) },
    ownFactors: createOwnFactors(dependencies),
  }
}

type AccountDependencies = Omit<
  Parameters<typeof createOwnSecurity>[0],
  'replacePassword' | 'signOutEverywhere'
> &
  Parameters<typeof createOwnApplications>[0] & {
    /** To the directory. */
    readonly transport: RpcTransport
  }

/** The pages on which people look after their own accounts. */
export function createAccountFeature(dependencies: AccountDependencies) {
  const client = rpcClient(OwnAccountService, dependencies.transport)
  return {
    ownAccounts: dependencies.ownAccounts,
    ownDirectory: ownDirectory(client),
    ownSecurity: createOwnSecurity({
      ...dependencies,
      replacePassword: passwordReplacer(client),
      signOutEverywhere: everywhereSignOut(client),
    }),
    ownApplications: createOwnApplications(dependencies),
  }
}
