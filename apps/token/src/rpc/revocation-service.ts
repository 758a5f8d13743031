import { TemporarilyUnavailableError } from '@signet/oauth-protocol/errors'
import { RpcError } from '@signet/rpc/error'
import { RevocationService } from '@signet/rpc/gen/token/v1/revocation_service_pb'
import { type RpcService, rpcService } from '@signet/rpc/service'
import type { EndSessions } from '../revocation/end-sessions.ts'

/** Serves `signet.token.v1.RevocationService`. */
export const revocationService = ({ endSessions }: { readonly endSessions: EndSessions }): RpcService =>
  rpcService(RevocationService, {
    async endSession({ sessions }) {
      await endSessions(sessions.map(({ sid, userId }) => ({ sid, userId }))).catch((error: unknown) => {
        if (error instanceof TemporarilyUnavailableError)
          throw new RpcError('UNAVAILABLE', error.message, { cause: error })
        throw error
      })
      return {}
    },
  })
