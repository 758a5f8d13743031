import type { IncomingMessage } from 'node:http'
import type { AuthenticateClient } from '@signet/client-auth/authenticate-client'
import { clientCertificate } from '@signet/http/client-certificate'
import { type IsRegisteredOrigin, registeredCors } from '@signet/http/cors'
import { type Endpoint, jsonAnswer, NO_STORE } from '@signet/http/endpoint'
import { readForm } from '@signet/http/forms'
import type { RequestLimit } from '@signet/http/rate-limit'
import type { RefusalRecorder } from '@signet/http/refusals'
import { clientAddress, setClientId } from '@signet/http/request-context'
import type { Logger } from '@signet/platform/logger/logger'
import type { Clock } from '@signet/platform/runtime/clock'
import { InvalidClientError, InvalidRequestError } from '@signet/protocol/errors'
import type { RequireProof } from '@signet/tokens/dpop/require-proof'
import { AUTHORIZATION_PARAMETERS, requestParameters } from '../authorize/parameters.ts'
import type { PushRequest } from '../authorize/push-request.service.ts'
import { keyspaces } from '../keyspaces.ts'
import { PATHS } from '../pages/paths.ts'

interface PushedAuthorizationDependencies {
  readonly issuer: string
  readonly authenticateClient: AuthenticateClient
  readonly pushRequest: PushRequest
  readonly isRegisteredOrigin: IsRegisteredOrigin
  readonly logger: Logger
  readonly refusals: RefusalRecorder
  /** Limit of the network of a caller that has not authenticated: a public client, or a failure. */
  readonly publicLimit: RequestLimit
  readonly requireProof: RequireProof
  readonly now: Clock
}

/** Others do not reach the request, so they may be repeated. */
const PARAMETERS: ReadonlySet<string> = new Set([
  ...AUTHORIZATION_PARAMETERS,
  ...['client_secret', 'client_assertion', 'client_assertion_type'],
])

/** The pushed authorization request endpoint (RFC 9126 section 2). */
export function pushedAuthorizationEndpoint(dependencies: PushedAuthorizationDependencies): Endpoint {
  const { authenticateClient, pushRequest, refusals, publicLimit } = dependencies
  const requireKnownOrigin = createOriginGuard(dependencies)
  const url = `${dependencies.issuer}${PATHS.pushedAuthorization}`
  const provenJkt = async ({ headers: { dpop } }: IncomingMessage): Promise<string | undefined> =>
    dpop === undefined
      ? undefined
      : (await dependencies.requireProof(String(dpop), { method: 'POST', url }, dependencies.now())).jkt
  return {
    path: PATHS.pushedAuthorization,
    cors: registeredCors(dependencies.isRegisteredOrigin, ['POST'], dependencies.logger),
    methods: {
      async POST(req) {
        const body = await readForm(req, { mayRepeat: ['resource'], reads: PARAMETERS })
        await requireKnownOrigin(req)
        const address = clientAddress(req)
        const proof = {
          body,
          authorization: req.headers.authorization,
          certificate: clientCertificate(req),
          clientAddress: address,
          onStated: (clientId: string) => setClientId(req, clientId),
          onFound: (clientId: string) => refusals.knowClient(req, clientId),
        }
        const { client, method } = await authenticateClient(proof).catch((error: unknown) => {
          if (error instanceof InvalidClientError) publicLimit(address)
          throw error
        })
        if (method === 'none') publicLimit(address)
        const { clientId, organizationId } = client
        const requestUri = await pushRequest(
          requestParameters(Object.entries({ ...body, client_id: clientId })),
          {
            ...{ organizationId, clientAddress: address },
            isAuthenticated: method !== 'none',
          },
          await provenJkt(req),
        )
        const answer = { request_uri: requestUri, expires_in: keyspaces.pushedRequest.ttlSeconds }
        return { ...jsonAnswer(answer, NO_STORE), status: 201 }
      },
    },
  }
}

/** No origin is longer. */
const LONGEST_ORIGIN = 300

/**
 * Refuses, before any limit counts the request, what a page sends that is neither of a registered origin nor of this one: it could
 * use up the limits of the network of a person who opened it.
 */
function createOriginGuard({
  issuer,
  isRegisteredOrigin,
}: Pick<PushedAuthorizationDependencies, 'issuer' | 'isRegisteredOrigin'>) {
  const own = new URL(issuer).origin
  return async ({ headers: { origin, 'sec-fetch-site': site } }: IncomingMessage): Promise<void> => {
    const isOfPage = origin !== undefined || site !== undefined
    if (!isOfPage || site === 'same-origin' || origin === own) return
    if (origin !== undefined && origin.length <= LONGEST_ORIGIN && (await isRegisteredOrigin(origin))) return
    throw new InvalidRequestError(
      'pages of this origin may not push; add it to allowedOrigins of the application',
      {
        reason: 'foreign_request',
      },
    )
  }
}
