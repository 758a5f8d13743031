import { RpcError } from '@signet/rpc/error'
import { SignInService } from '@signet/rpc/gen/login/v1/sign_in_service_pb'
import { type RpcService, rpcService } from '@signet/rpc/service'
import type { ForgetFailures } from '../throttling/forget-failures.ts'
import { answer } from './answer.ts'

/** Serves `signet.login.v1.SignInService`. */
export const signInService = (forgetFailures: ForgetFailures): RpcService =>
  rpcService(SignInService, {
    async forgetFailures({ userId, attemptKey }) {
      if (userId === '') throw new RpcError('INVALID_ARGUMENT', 'user_id is required')
      await answer(forgetFailures({ userId, attemptKey }))
      return {}
    },
  })
