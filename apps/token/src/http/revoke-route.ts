import type { AuthenticateClient } from '@signet/client-authentication/authenticate-client'
import { formBody } from '@signet/http-server/form-body'
import { noStore } from '@signet/http-server/response-headers'
import { ENDPOINT_PATHS } from '@signet/oauth-protocol/endpoint-paths'
import { InvalidRequestError } from '@signet/oauth-protocol/errors'
import { Router } from 'express'
import type { RevokeToken } from '../revocation/revoke-token.ts'

export interface RevokeRouteDeps {
  readonly revokeToken: RevokeToken
  readonly authenticateClient: AuthenticateClient
}

/** The revocation endpoint (RFC 7009). Its 200 means that no replica answers active any more. */
export function revokeRoute({ revokeToken, authenticateClient }: RevokeRouteDeps): Router {
  return Router().post(ENDPOINT_PATHS.revoke, noStore, formBody(), async (req, res) => {
    const body: Readonly<Record<string, string>> = req.body
    const { client } = await authenticateClient({ authorization: req.headers.authorization, body })
    if (!body.token) throw new InvalidRequestError('token is required', { reason: 'token_missing' })
    await revokeToken(body.token, client.clientId)
    res.status(200).end()
  })
}
