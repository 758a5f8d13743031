// gRPC calls to the keys service.
import { REPEATED_CALL_TIMEOUT_MS, type RpcClient } from '@signet/grpc/client'
import type { KeyService } from '@signet/grpc/gen/keys/v1/key_service_pb'
import type { SignResponse } from '../authorize/redirect.ts'
import { callService } from '../dependency.ts'

/** Lets `keys` sign authorization responses (docs/decisions/0096). */
export function createResponseSigner(
  keys: Pick<RpcClient<typeof KeyService>, 'signAuthorizationResponse'>,
): SignResponse {
  return async ({ clientId: audience, idTokenSigningAlg: algorithm }, members) => {
    const parameters = Object.entries(members).map(([name, value]) => ({ name, value }))
    const request = { audience, parameters, algorithm }
    const { jwt } = await callService('keys', () =>
      keys.signAuthorizationResponse(request, { timeoutMs: REPEATED_CALL_TIMEOUT_MS }),
    )
    return jwt
  }
}
