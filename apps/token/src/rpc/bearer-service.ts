import { RpcError } from '@signet/rpc/error'
import { BearerService, SubjectKind } from '@signet/rpc/gen/token/v1/bearer_service_pb'
import { type RpcService, rpcService } from '@signet/rpc/service'
import type { AuthenticateBearer } from '../bearer/authenticate-bearer.ts'

/** Serves `signet.token.v1.BearerService`. */
export const bearerService = ({
  authenticateBearer,
}: {
  readonly authenticateBearer: AuthenticateBearer
}): RpcService =>
  rpcService(BearerService, {
    async authenticate({ bearer }) {
      const caller = await authenticateBearer(bearer)
      if (caller === undefined) throw new RpcError('UNAUTHENTICATED', 'the bearer token is not valid')
      return {
        userId: caller.userId,
        kind: caller.kind === 'human' ? SubjectKind.HUMAN : SubjectKind.SERVICE_USER,
        organizationId: caller.organizationId,
        tokenId: caller.tokenId,
        roles: caller.roles.map(({ role, objectId = '' }) => ({ role, objectId })),
      }
    },
  })
