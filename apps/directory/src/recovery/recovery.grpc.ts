import { RpcError } from '@signet/grpc/error'
import { type PresentedToken, RecoveryService } from '@signet/grpc/gen/directory/v1/recovery_service_pb'
import { type RpcService, rpcService } from '@signet/grpc/service'
import { orExhausted } from '../credentials/or-exhausted.ts'
import type { NoticeOrigin } from '../mail/notices.ts'
import type { Presented, Recovery } from './recovery.ts'
import type { ResetRequest } from './reset-requests.ts'

interface Dependencies {
  readonly recovery: Recovery
  readonly notifyNewSignIn: (userId: string, origin: NoticeOrigin) => Promise<void>
  readonly requestReset: (request: ResetRequest) => Promise<'accepted' | 'throttled'>
}

const PURPOSES = ['password_reset', 'email_verification', 'invitation'] as const
const MOST_LOGIN_NAME = 1_000

export function recoveryService({ recovery, requestReset, notifyNewSignIn }: Dependencies): RpcService {
  return rpcService(RecoveryService, {
    async requestPasswordReset({ loginName, organizationId, clientId, language, clientAddress }) {
      const outcome = await requestReset({
        loginName: loginName.slice(0, MOST_LOGIN_NAME),
        language,
        ...(organizationId !== '' && { organizationId }),
        ...(clientId !== '' && { clientId }),
        ...(clientAddress !== '' && { clientAddress }),
      })
      return { throttled: outcome === 'throttled' }
    },
    async checkMailToken({ token, ofLink }) {
      const check = ofLink ? recovery.checkLink : recovery.check
      const found = await check(presented(token))
      if ('refused' in found) return found
      const { organizationId, userId, loginName, organizationName, allowsPassword, emailVerified } = found
      return {
        ...{ organizationId, userId, loginName, organizationName },
        askedBy: found.askedBy ?? '',
        application: found.application ?? '',
        passwordAllowed: allowsPassword,
        provesAddress: !emailVerified,
        inviter: found.inviter ?? '',
      }
    },
    async setPassword({ token, password }) {
      const outcome = await orExhausted(recovery.setPassword({ ...presented(token), password }))
      if ('refused' in outcome) return outcome
      return 'problems' in outcome
        ? { problems: [...outcome.problems] }
        : { clientId: outcome.clientId ?? '', organizationId: outcome.organizationId }
    },
    async verifyEmail({ token, userId }) {
      const outcome = await recovery.verifyEmail({ ...presented(token), userId })
      return 'refused' in outcome ? outcome : { clientId: outcome.clientId ?? '' }
    },
    async notifyNewSignIn({ userId, agent, clientAddress }) {
      await notifyNewSignIn(userId, { agent, clientAddress })
      return {}
    },
  })
}

function presented(token: PresentedToken | undefined): Presented {
  const purpose = PURPOSES.find((known) => known === token?.purpose)
  if (token === undefined || purpose === undefined)
    throw new RpcError('INVALID_ARGUMENT', `token.purpose: must be one of ${PURPOSES.join(', ')}`)
  const { secret, clientAddress } = token
  return { secret, purpose, ...(clientAddress !== '' && { clientAddress }) }
}
