// Signed responses of introspection (RFC 9701).

import type { Client } from '@signet/directory-reader/views'
import type { RpcClient } from '@signet/grpc/client'
import type { KeyService } from '@signet/grpc/gen/keys/v1/key_service_pb'
import { TemporarilyUnavailableError } from '@signet/protocol/errors'

export const INTROSPECTION_JWT_TYPE = 'application/token-introspection+jwt'

const TIMEOUT_MS = 2_000

/**
 * Whether a request asks for a signed response (RFC 9701 section 4): the header Accept names its type, and none that it would rather
 * have (RFC 9110 section 12.5.1).
 */
export function wantsSignedResponse(accept: string | undefined): boolean {
  if (accept === undefined || !accept.toLowerCase().includes(INTROSPECTION_JWT_TYPE)) return false
  const ranges = accept
    .toLowerCase()
    .split(',')
    .map((range) => range.split(';').map((part) => part.trim()))
  const weightOf = (type: string): number => {
    const [, ...parameters] = ranges.find(([name]) => name === type) ?? ['', 'q=0']
    const weight = parameters.find((parameter) => parameter.startsWith('q='))
    return weight === undefined ? 1 : Number(weight.slice(2)) || 0
  }
  const weight = weightOf(INTROSPECTION_JWT_TYPE)
  return weight > 0 && weight >= weightOf('application/json')
}

/** Signs a response for the client that asked. Rejects with TemporarilyUnavailableError while `keys` cannot sign. */
export type SignResponse = (response: string, caller: Client) => Promise<string>

/** Lets `keys` sign: a key that signs responses signs tokens too, and this service holds none (docs/decisions/0092). */
export function createSignResponse(
  keys: Pick<RpcClient<typeof KeyService>, 'signIntrospectionResponse'>,
): SignResponse {
  return async (response, { clientId: audience, accessTokenSigningAlg: algorithm }) => {
    const request = { audience, response, algorithm }
    const answer = await keys
      .signIntrospectionResponse(request, { timeoutMs: TIMEOUT_MS })
      .catch((cause: unknown) => {
        throw new TemporarilyUnavailableError(
          'The response cannot be signed at the moment; repeat the request',
          {
            reason: 'no_active_signing_key',
            cause,
          },
        )
      })
    return answer.jwt
  }
}
