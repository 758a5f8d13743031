// `FederationService` of proto/federation/v1: sign-ins by identity providers.

import { FederationService } from '@signet/grpc/gen/federation/v1/federation_service_pb'
import { type RpcService, rpcService } from '@signet/grpc/service'

export function createFederationService(): RpcService {
  const notYet = async () => ({ refusal: { rule: 'not_available', temporary: true } })
  return rpcService(FederationService, { begin: notYet, complete: notYet })
}
