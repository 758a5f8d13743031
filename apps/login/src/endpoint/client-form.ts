// The endpoints that clients call themselves, and no browser shows: who may call them, and how often.
import type { IncomingMessage } from 'node:http'
import type { AuthenticateClient, AuthenticatedClient } from '@signet/client-auth/authenticate-client'
import { clientCertificate } from '@signet/http/client-certificate'
import { type IsRegisteredOrigin, registeredCors } from '@signet/http/cors'
import type { Answer, Endpoint } from '@signet/http/endpoint'
import { readForm } from '@signet/http/forms'
import type { RequestLimit } from '@signet/http/rate-limit'
import type { RefusalRecorder } from '@signet/http/refusals'
import { clientAddress, setClientId } from '@signet/http/request-context'
import type { Logger } from '@signet/platform/logger/logger'
import { InvalidClientError, InvalidRequestError } from '@signet/protocol/errors'
import type { CountPushed } from '../authorize/pending-authorization.ts'
import type { CountDocument } from '../client-metadata/find-document.ts'

export interface ClientFormDependencies {
  readonly issuer: string
  readonly authenticateClient: AuthenticateClient
  readonly isRegisteredOrigin: IsRegisteredOrigin
  readonly logger: Logger
  readonly refusals: RefusalRecorder
  readonly countDocument: CountDocument
  /** Limit of the network of a caller that has not authenticated: a public client, or a failure. */
  readonly publicLimit: RequestLimit
}

/** The form of a client that has proven who it is. */
interface ClientForm {
  readonly req: IncomingMessage
  readonly body: Readonly<Record<string, string>>
  readonly client: AuthenticatedClient['client']
  readonly sentBy: Parameters<CountPushed>[0]
}

/** An endpoint that takes a form of an authenticated or public client. Parameters beside `reads` may be repeated, and so may `resource` (RFC 8707). */
export function clientFormEndpoint(
  path: string,
  reads: readonly string[],
  dependencies: ClientFormDependencies,
  handle: (form: ClientForm) => Promise<Answer>,
): Endpoint {
  const { authenticateClient, refusals, publicLimit, countDocument } = dependencies
  const requireKnownOrigin = createOriginGuard(dependencies)
  const parameters = new Set([
    ...reads,
    ...['client_id', 'client_secret', 'client_assertion', 'client_assertion_type'],
  ])
  return {
    path,
    cors: registeredCors(dependencies.isRegisteredOrigin, ['POST'], dependencies.logger),
    methods: {
      async POST(req) {
        const body = await readForm(req, { mayRepeat: ['resource'], reads: parameters })
        await requireKnownOrigin(req)
        const address = clientAddress(req)
        const proof = {
          body,
          authorization: req.headers.authorization,
          certificate: clientCertificate(req),
          clientAddress: address,
          onStated(clientId: string) {
            setClientId(req, clientId)
            countDocument(clientId, address)
          },
          onFound: (clientId: string) => refusals.knowClient(req, clientId),
        }
        const { client, method } = await authenticateClient(proof).catch((error: unknown) => {
          if (error instanceof InvalidClientError) publicLimit(address)
          throw error
        })
        if (method === 'none') publicLimit(address)
        const { organizationId } = client
        const sentBy = { organizationId, clientAddress: address, isAuthenticated: method !== 'none' }
        return handle({ req, body, client, sentBy })
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
}: Pick<ClientFormDependencies, 'issuer' | 'isRegisteredOrigin'>) {
  const own = new URL(issuer).origin
  return async ({ headers: { origin, 'sec-fetch-site': site } }: IncomingMessage): Promise<void> => {
    const isOfPage = origin !== undefined || site !== undefined
    if (!isOfPage || site === 'same-origin' || origin === own) return
    if (origin !== undefined && origin.length <= LONGEST_ORIGIN && (await isRegisteredOrigin(origin))) return
    throw new InvalidRequestError(
      'pages of this origin may not send it; add it to allowedOrigins of the application',
      {
        reason: 'foreign_request',
      },
    )
  }
}
