import type { AuthenticateClient } from '@signet/client-authentication/authenticate-client'
import type { Answer } from '@signet/http-server/answer'
import { clientAddress } from '@signet/http-server/client-address'
import { type IsRegisteredOrigin, registeredCors } from '@signet/http-server/cors'
import type { Endpoint } from '@signet/http-server/endpoint'
import { readForm } from '@signet/http-server/form-body'
import { NO_STORE } from '@signet/http-server/response-headers'
import { ENDPOINT_PATHS } from '@signet/oauth-protocol/endpoint-paths'
import { InvalidRequestError } from '@signet/oauth-protocol/errors'
import type { RequestLimit } from '@signet/rate-limit/request-limit'
import type { RevokeToken } from '../revocation/revoke-token.ts'

export interface RevokeEndpointDeps {
  readonly revokeToken: RevokeToken
  readonly authenticateClient: AuthenticateClient
  readonly isRegisteredOrigin: IsRegisteredOrigin
  /** Of a client. */
  readonly limit: RequestLimit
}

const REVOKED: Answer = { status: 200, headers: NO_STORE, body: '' }

/** The revocation endpoint (RFC 7009). Its 200 means that no replica answers active any more. */
export function revokeEndpoint(deps: RevokeEndpointDeps): Endpoint {
  const { revokeToken, authenticateClient, limit } = deps
  return {
    path: ENDPOINT_PATHS.revoke,
    cors: registeredCors(deps.isRegisteredOrigin, ['POST']),
    methods: {
      async POST(req) {
        const body = await readForm(req)
        const { authorization } = req.headers
        const address = clientAddress(req)
        const { client } = await authenticateClient({ authorization, body, clientAddress: address })
        limit(client.clientId)
        if (!body.token) throw new InvalidRequestError('token is required', { reason: 'token_missing' })
        await revokeToken(body.token, { clientId: client.clientId, clientAddress: address })
        return REVOKED
      },
    },
  }
}
