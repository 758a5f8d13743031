// Checks the password of a user who is signed in already.

import { passwordCounter, type Throttled, type ThrottledAttempt } from './throttle.ts'
import type { FindAttemptKey, VerifyPassword } from './verify-password.ts'

interface OwnPassword {
  readonly userId: string
  readonly organizationId: string
  readonly loginName: string
  readonly password: string
  /** Network address of the user, for the audit log. */
  readonly clientAddress: string
}

/** Says whether it is the password of this user. Failures count as those of a sign-in do. */
export type CheckOwnPassword = (
  entered: OwnPassword,
) => Promise<{ readonly kind: 'correct' | 'wrong' } | Throttled>

interface Dependencies {
  readonly findAttemptKey: FindAttemptKey
  readonly verifyPassword: VerifyPassword
  readonly attempt: ThrottledAttempt
}

export function createOwnPasswordCheck(dependencies: Dependencies): CheckOwnPassword {
  const { findAttemptKey, verifyPassword, attempt } = dependencies
  return async ({ userId, ...credential }) => {
    const { clientAddress } = credential
    const key = await findAttemptKey(credential.loginName, credential)
    const outcome = await attempt(
      { counter: passwordCounter(key.attemptKey), freeFailures: key.maxPasswordAttempts, clientAddress },
      () => verifyPassword({ ...credential, throttled: false, confirms: true }),
      (verified) => verified,
    )
    if (outcome.kind === 'throttled') {
      if (outcome.by === 'account') await verifyPassword({ ...credential, throttled: true, confirms: true })
      return outcome
    }
    const verified = outcome.kind === 'verified' ? outcome.value : undefined
    const isOwner = verified !== undefined && !('kind' in verified) && verified.account.userId === userId
    return { kind: isOwner ? 'correct' : 'wrong' }
  }
}
