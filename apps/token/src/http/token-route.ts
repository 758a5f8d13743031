import type { AuthenticateClient } from '@signet/client-authentication/authenticate-client'
import { formBody } from '@signet/http-server/form-body'
import { noStore } from '@signet/http-server/response-headers'
import { ENDPOINT_PATHS } from '@signet/oauth-protocol/endpoint-paths'
import {
  InvalidRequestError,
  UnauthorizedClientError,
  UnsupportedGrantTypeError,
} from '@signet/oauth-protocol/errors'
import type { Clock } from '@signet/service-runtime/clock'
import { Router } from 'express'
import type { Grant } from '../grants/grant.ts'

export interface TokenRouteDeps {
  readonly grants: ReadonlyMap<string, Grant>
  readonly authenticateClient: AuthenticateClient
  readonly now: Clock
}

/** The token endpoint (RFC 6749 section 3.2). */
export function tokenRoute({ grants, authenticateClient, now }: TokenRouteDeps): Router {
  return Router().post(ENDPOINT_PATHS.token, noStore, formBody(), async (req, res) => {
    const body: Readonly<Record<string, string>> = req.body
    const grantType = body.grant_type
    if (!grantType) throw new InvalidRequestError('grant_type is required', { reason: 'grant_type_missing' })
    const grant = grants.get(grantType)
    if (grant === undefined) {
      throw new UnsupportedGrantTypeError('grant_type is not supported; discovery lists those that are', {
        reason: 'grant_type_unsupported',
      })
    }
    const caller = await authenticateClient({ authorization: req.headers.authorization, body })
    if (!caller.client.grantTypes.some((allowed) => allowed === grantType)) {
      throw new UnauthorizedClientError('the client may not use this grant_type; add it to its grantTypes', {
        reason: 'grant_type_not_allowed',
      })
    }
    res.json(await grant(body, caller, now()))
  })
}
