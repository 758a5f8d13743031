import { RpcError } from '@signet/grpc/error'
import { GrantService } from '@signet/grpc/gen/token/v1/grant_service_pb'
import { type RpcService, rpcService } from '@signet/grpc/service'
import type { EndGrants, ListGrants } from '../revocation/end-grants.ts'

interface Deps {
  readonly listGrants: ListGrants
  readonly endGrants: EndGrants
}

/** Serves `signet.token.v1.GrantService`. */
export const grantService = ({ listGrants, endGrants }: Deps): RpcService =>
  rpcService(GrantService, {
    async listGrants({ userId }) {
      const grants = await listGrants(userId)
      return { grants: grants.map(({ clientId, scopes }) => ({ clientId, scopes: [...scopes] })) }
    },
    async endGrants({ userId, clientId, clientAddress }) {
      if (userId === '' || clientId === '')
        throw new RpcError('INVALID_ARGUMENT', 'user_id and client_id are required')
      await endGrants({ userId, clientId, ...(clientAddress !== '' && { clientAddress }) })
      return {}
    },
  })
