import type { AuthenticateClient } from '@signet/client-authentication/authenticate-client'
import { clientAddress } from '@signet/http-server/client-address'
import { formBody } from '@signet/http-server/form-body'
import { noStore } from '@signet/http-server/response-headers'
import { sendJson } from '@signet/http-server/send-json'
import { ENDPOINT_PATHS } from '@signet/oauth-protocol/endpoint-paths'
import { InvalidRequestError } from '@signet/oauth-protocol/errors'
import type { RequestLimit } from '@signet/rate-limit/request-limit'
import { Router } from 'express'
import type { Introspect } from '../introspection/introspect.ts'

export interface IntrospectRouteDeps {
  readonly introspect: Introspect
  readonly authenticateClient: AuthenticateClient
  /** Of a client. */
  readonly limit: RequestLimit
}

/** The introspection endpoint (RFC 7662). */
export function introspectRoute({ introspect, authenticateClient, limit }: IntrospectRouteDeps): Router {
  return Router().post(ENDPOINT_PATHS.introspect, noStore, formBody(), async (req, res) => {
    const body: Readonly<Record<string, string>> = req.body
    const { authorization } = req.headers
    const { client } = await authenticateClient({ authorization, body, clientAddress: clientAddress(req) })
    limit(client.clientId)
    if (!body.token) throw new InvalidRequestError('token is required', { reason: 'token_missing' })
    sendJson(res, await introspect(body.token, client))
  })
}
