import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { RpcError } from '@signet/grpc/error'
import { ImpersonationService } from '@signet/grpc/gen/directory/v1/impersonation_service_pb'
import { type RpcService, rpcService } from '@signet/grpc/service'
import type { Impersonations } from './begin-impersonation.ts'

/** Serves `signet.directory.v1.ImpersonationService`. */
export function impersonationService(impersonations: Impersonations): RpcService {
  return rpcService(ImpersonationService, {
    async findImpersonation({ token }) {
      const { administratorId, userId, reason, account } = (await impersonations.find(token)) ?? noLink()
      const { loginName, organizationName } = account
      return { administratorId, userId, reason, loginName, organizationName }
    },
    async beginImpersonation({ token, administratorId, clientAddress }) {
      if (administratorId === '') throw new RpcError('INVALID_ARGUMENT', 'administrator_id is required')
      const begun =
        (await impersonations.begin({ token, administratorId, clientAddress: clientAddress || undefined })) ??
        noLink()
      if ('refused' in begun) return { refusedRule: begun.refused }
      const { id, userId, reason, endsAt, account } = begun
      const { organizationId, userEpoch, organizationEpoch } = account
      return {
        ...{ impersonationId: id, userId, organizationId, reason },
        userEpoch: BigInt(userEpoch),
        organizationEpoch: BigInt(organizationEpoch),
        endsAt: timestampFromDate(endsAt),
      }
    },
  })
}

function noLink(): never {
  throw new RpcError('NOT_FOUND', 'there is no such link')
}
