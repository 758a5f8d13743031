import type { AuthenticateClient } from '@signet/client-auth/authenticate-client'
import { type HeaderList, jsonTextAnswer } from '@signet/http/answer'
import { clientAddress } from '@signet/http/client-address'
import type { Endpoint } from '@signet/http/endpoint'
import { readForm } from '@signet/http/forms'
import type { RequestLimit } from '@signet/http/rate-limit'
import { NO_STORE } from '@signet/http/response-headers'
import { InvalidRequestError } from '@signet/protocol/errors'
import { ENDPOINT_PATHS } from '@signet/protocol/routes'
import type { Introspect } from '../introspection/introspect.ts'

interface IntrospectEndpointDeps {
  readonly introspect: Introspect
  readonly authenticateClient: AuthenticateClient
  /** Of a client. */
  readonly limit: RequestLimit
  /** Seconds since the last poll for revocations. */
  readonly revocationAge: () => number
}

/** A poll each second is overdue after so many. */
const OVERDUE_SECONDS = 2

/** The introspection endpoint (RFC 7662). */
export function introspectEndpoint(deps: IntrospectEndpointDeps): Endpoint {
  const { introspect, authenticateClient, limit, revocationAge } = deps
  return {
    path: ENDPOINT_PATHS.introspect,
    methods: {
      async POST(req) {
        const body = await readForm(req)
        const { authorization } = req.headers
        const { client } = await authenticateClient({
          authorization,
          body,
          clientAddress: clientAddress(req),
        })
        limit(client.clientId)
        if (!body.token) throw new InvalidRequestError('token is required', { reason: 'token_missing' })
        return jsonTextAnswer(await introspect(body.token, client), headersAt(revocationAge()))
      },
    },
  }
}

/** Shows how old the knowledge of revocations is while PostgreSQL is away. */
function headersAt(age: number): HeaderList {
  if (age <= OVERDUE_SECONDS || !Number.isFinite(age)) return NO_STORE
  return [...NO_STORE, 'Signet-Revocation-Age', `${Math.floor(age)}`]
}
