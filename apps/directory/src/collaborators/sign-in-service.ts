import type { RpcClient } from '@signet/grpc/client'
import type { SignInService } from '@signet/grpc/gen/login/v1/sign_in_service_pb'
import type { ForgetFailures } from '../accounts/forget-failures.ts'
import type { AttemptKeys } from '../credentials/attempt-keys.ts'
import { reachLogin } from './reach-login.ts'

const TIMEOUT_MS = 2_000

/** Login counts the failures. */
export function failureForgetter(
  signIns: RpcClient<typeof SignInService>,
  keys: AttemptKeys,
): ForgetFailures {
  return async (userId) => {
    const attemptKey = keys.ofAccount(userId)
    await reachLogin(
      'the user is unlocked, but failed sign-ins may still make the next one wait; repeat the call',
      () => signIns.forgetFailures({ userId, attemptKey }, { timeoutMs: TIMEOUT_MS }),
    )
  }
}
