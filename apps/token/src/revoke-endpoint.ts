import type { AuthenticateClient } from '@signet/client-auth/authenticate-client'
import { clientCertificate } from '@signet/http/client-certificate'
import { type IsRegisteredOrigin, registeredCors } from '@signet/http/cors'
import { type Answer, type Endpoint, NO_STORE } from '@signet/http/endpoint'
import { readForm } from '@signet/http/forms'
import type { RequestLimit } from '@signet/http/rate-limit'
import type { RefusalRecorder } from '@signet/http/refusals'
import { clientAddress, setClientId } from '@signet/http/request-context'
import type { Logger } from '@signet/platform/logger/logger'
import { InvalidRequestError } from '@signet/protocol/errors'
import { ENDPOINT_PATHS } from '@signet/protocol/routes'
import type { RevokeToken } from './revocation/revoke.service.ts'

interface RevokeEndpointDeps {
  readonly revokeToken: RevokeToken
  readonly authenticateClient: AuthenticateClient
  readonly isRegisteredOrigin: IsRegisteredOrigin
  readonly logger: Logger
  readonly refusals: RefusalRecorder
  /** Limit of requests of each client. */
  readonly limit: RequestLimit
}

const REVOKED: Answer = { status: 200, headers: NO_STORE, body: '' }

/** The revocation endpoint (RFC 7009). Its 200 means that no replica answers active any more. */
export function revokeEndpoint(deps: RevokeEndpointDeps): Endpoint {
  const { revokeToken, authenticateClient, refusals, limit } = deps
  return {
    path: ENDPOINT_PATHS.revoke,
    cors: registeredCors(deps.isRegisteredOrigin, ['POST'], deps.logger),
    methods: {
      async POST(req) {
        const body = await readForm(req)
        const { authorization } = req.headers
        const address = clientAddress(req)
        const { client } = await authenticateClient({
          authorization,
          certificate: clientCertificate(req),
          body,
          clientAddress: address,
          onStated: (clientId) => setClientId(req, clientId),
          onFound: (clientId) => refusals.knowClient(req, clientId),
        })
        limit(client.clientId)
        if (!body.token) throw new InvalidRequestError('token is required', { reason: 'token_missing' })
        await revokeToken(body.token, { clientId: client.clientId, clientAddress: address })
        return REVOKED
      },
    },
  }
}
