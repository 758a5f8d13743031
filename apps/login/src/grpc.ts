import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { RpcError } from '@signet/rpc/error'
import { SessionService } from '@signet/rpc/gen/login/v1/session_service_pb'
import { SubjectKind } from '@signet/rpc/gen/token/v1/bearer_service_pb'
import { type RpcService, rpcService } from '@signet/rpc/service'
import { answer } from './rpc/answer.ts'
import type { UserSessions } from './sessions/user-sessions.ts'

/** Serves `signet.login.v1.SessionService`. */
export const sessionService = (sessions: UserSessions): RpcService =>
  rpcService(SessionService, {
    async listSessions({ userId }) {
      const found = await answer(sessions.list(userId))
      return {
        sessions: found.map(({ sid, authenticatedAt, lastUsedAt, expiresAt, amr }) => ({
          sid,
          authTime: timestampFromMs(authenticatedAt),
          lastUsedAt: timestampFromMs(lastUsedAt),
          expiresAt: timestampFromMs(expiresAt),
          amr: [...amr],
        })),
      }
    },
    async endSession({ userId, sid, administrator, clientAddress }) {
      if (administrator === undefined) throw new RpcError('INVALID_ARGUMENT', 'administrator is required')
      const kind = administrator.kind === SubjectKind.HUMAN ? 'human' : 'service_user'
      const ending = {
        userId,
        sid,
        clientAddress,
        administrator: { userId: administrator.userId, kind },
      } as const
      const outcome = await answer(sessions.end(ending))
      if (outcome === 'not_found') throw new RpcError('NOT_FOUND', 'the user has no such session')
      return {}
    },
  })
