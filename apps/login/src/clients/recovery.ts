// gRPC calls to the directory: resets of passwords, invitations, verified addresses.
import type { RpcClient } from '@signet/grpc/client'
import { RpcError } from '@signet/grpc/error'
import type { RecoveryService } from '@signet/grpc/gen/directory/v1/recovery_service_pb'
import type { Logger } from '@signet/platform/logger/logger'
import { callService, unavailable } from '../dependency.ts'
import type { LinkedAccount, PresentedToken, Recovery, Refusal } from '../recovery/recovery.ts'
import type { SignInOrigin } from '../sessions/browser-session.ts'
import { agentText } from '../sessions/user-agent.ts'
import { knownProblem } from './directory.ts'

const RPC = { timeoutMs: 2_000 }
// One argon2id run, after waiting for a free thread.
const HASHING = { timeoutMs: 5_000 }

export function recoveryClient(recovery: RpcClient<typeof RecoveryService>): Recovery {
  const call = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await callService('directory', work)
    } catch (error) {
      // During a rollout, a directory of the previous version sends no messages.
      if (error instanceof RpcError && error.code === 'UNIMPLEMENTED') throw unavailable('directory', error)
      throw error
    }
  }
  const check = async (token: PresentedToken, ofLink: boolean): Promise<LinkedAccount | Refusal> => {
    const { refused, askedBy, ...account } = await call(() => recovery.checkMailToken({ token, ofLink }, RPC))
    if (refused !== '') return refusal(refused)
    // During a rollout, a directory of the previous version does not say whose token it is.
    if (account.userId === '') throw unavailable('directory', new Error('the token has no person'))
    return {
      ...account,
      askedBy: askedBy === 'registration' || askedBy === 'administrator' ? askedBy : undefined,
    }
  }
  return {
    async requestReset({ organizationId = '', clientId = '', ...request }) {
      const { throttled } = await call(() =>
        recovery.requestPasswordReset({ ...request, organizationId, clientId }, RPC),
      )
      return throttled ? 'throttled' : 'accepted'
    },
    check: (token) => check(token, false),
    checkLink: (token) => check(token, true),
    async setPassword(token, password) {
      const { refused, problems, clientId, organizationId } = await call(() =>
        recovery.setPassword({ token, password }, HASHING),
      )
      return refused === ''
        ? { problems: problems.map((code) => knownProblem(code)), clientId, organizationId }
        : refusal(refused)
    },
    async verifyEmail(token, userId) {
      const { refused, clientId } = await call(() => recovery.verifyEmail({ token, userId }, RPC))
      return refused === '' ? { done: true, clientId } : refusal(refused)
    },
  }
}

/** Requests the notice of a sign-in in a new browser. A directory that does not respond delays the sign-in by half a second. */
export function createNewSignInNotifier(recovery: RpcClient<typeof RecoveryService>, logger: Logger) {
  return async (userId: string, origin: SignInOrigin): Promise<void> => {
    const { clientAddress, ...agent } = origin
    try {
      await recovery.notifyNewSignIn({ userId, agent: agentText(agent), clientAddress }, { timeoutMs: 500 })
    } catch (error) {
      logger.warn('new_sign_in_not_notified', { userId, error })
    }
  }
}

function refusal(refused: string): Refusal {
  return {
    refused: refused === 'throttled' || refused === 'password_sign_in_not_allowed' ? refused : 'invalid',
  }
}
