import type { AuthenticateClient } from '@signet/client-authentication/authenticate-client'
import { clientAddress } from '@signet/http-server/client-address'
import { type IsRegisteredOrigin, registeredCors } from '@signet/http-server/cors'
import { formBody } from '@signet/http-server/form-body'
import { noStore } from '@signet/http-server/response-headers'
import { ENDPOINT_PATHS } from '@signet/oauth-protocol/endpoint-paths'
import { InvalidRequestError } from '@signet/oauth-protocol/errors'
import type { RequestLimit } from '@signet/rate-limit/request-limit'
import { Router } from 'express'
import type { RevokeToken } from '../revocation/revoke-token.ts'

export interface RevokeRouteDeps {
  readonly revokeToken: RevokeToken
  readonly authenticateClient: AuthenticateClient
  readonly isRegisteredOrigin: IsRegisteredOrigin
  /** Of a client. */
  readonly limit: RequestLimit
}

/** The revocation endpoint (RFC 7009). Its 200 means that no replica answers active any more. */
export function revokeRoute(deps: RevokeRouteDeps): Router {
  const { revokeToken, authenticateClient, limit } = deps
  const cors = registeredCors(deps.isRegisteredOrigin, ['POST'])
  const path = ENDPOINT_PATHS.revoke
  return Router()
    .options(path, cors)
    .post(path, cors, noStore, formBody(), async (req, res) => {
      const body: Readonly<Record<string, string>> = req.body
      const { authorization } = req.headers
      const { client } = await authenticateClient({ authorization, body, clientAddress: clientAddress(req) })
      limit(client.clientId)
      if (!body.token) throw new InvalidRequestError('token is required', { reason: 'token_missing' })
      await revokeToken(body.token, { clientId: client.clientId, clientAddress: clientAddress(req) })
      res.status(200).end()
    })
}
