import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { RpcError } from '@signet/grpc/error'
import { BearerService, SubjectKind } from '@signet/grpc/gen/token/v1/bearer_service_pb'
import { type RpcService, rpcService } from '@signet/grpc/service'
import type { AuthenticateBearer, BearerRefusal } from '../bearer/authenticate-bearer.ts'

const REFUSALS: Readonly<Record<BearerRefusal, string>> = {
  invalid: 'the bearer token is expired, revoked or not valid here',
  client_not_marked:
    'the bearer token counts only through an application with mayCallApi, which an IAM_OWNER sets',
  impersonated:
    'somebody acts for the user of the bearer token, which allowImpersonatedApiCalls of the security policy forbids',
}

/** Serves `signet.token.v1.BearerService`. */
export const bearerService = ({
  authenticateBearer,
}: {
  readonly authenticateBearer: AuthenticateBearer
}): RpcService =>
  rpcService(BearerService, {
    async authenticate({ bearer }) {
      const caller = await authenticateBearer(bearer)
      if (typeof caller === 'string') throw new RpcError('UNAUTHENTICATED', REFUSALS[caller])
      const { clientId, act, demand } = caller
      const { authTime, acr } = caller.signIn
      return {
        userId: caller.userId,
        kind: caller.kind === 'human' ? SubjectKind.HUMAN : SubjectKind.SERVICE_USER,
        organizationId: caller.organizationId,
        tokenId: caller.tokenId,
        roles: caller.roles.map(({ role, objectId = '' }) => ({ role, objectId })),
        act: [...act],
        ...(clientId !== undefined && { clientId }),
        ...(acr !== undefined && { acr }),
        ...(authTime !== undefined && { authTime: timestampFromMs(authTime * 1000) }),
        ...(demand !== undefined && {
          signInDemand: {
            acrValues: [...demand.acrValues],
            ...(demand.maxAgeSeconds !== undefined && { maxAgeSeconds: demand.maxAgeSeconds }),
          },
        }),
      }
    },
  })
