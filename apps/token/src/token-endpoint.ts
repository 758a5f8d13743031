import type {
  AuthenticateClient,
  AuthenticatedClient,
  ClientRequest,
} from '@signet/client-auth/authenticate-client'
import { clientCertificate } from '@signet/http/client-certificate'
import { type IsRegisteredOrigin, registeredCors } from '@signet/http/cors'
import { type Endpoint, type HeaderList, jsonAnswer, NO_STORE } from '@signet/http/endpoint'
import { readForm } from '@signet/http/forms'
import { measureAsGrant } from '@signet/http/instrumentation'
import type { RequestLimit } from '@signet/http/rate-limit'
import type { RefusalRecorder } from '@signet/http/refusals'
import { clientAddress, setClientId } from '@signet/http/request-context'
import type { Logger } from '@signet/platform/logger/logger'
import type { Clock } from '@signet/platform/runtime/clock'
import {
  InvalidClientError,
  InvalidGrantError,
  InvalidRequestError,
  UnauthorizedClientError,
  UnsupportedGrantTypeError,
} from '@signet/protocol/errors'
import { ENDPOINT_PATHS } from '@signet/protocol/routes'
import type { ConfirmCaller } from './confirm-caller.ts'
import type { ClientGrant, Grant } from './grants/grant.ts'

interface TokenEndpointDeps {
  readonly grants: ReadonlyMap<string, Grant>
  readonly authenticateClient: AuthenticateClient
  readonly isRegisteredOrigin: IsRegisteredOrigin
  readonly logger: Logger
  readonly refusals: RefusalRecorder
  /** Limit of requests of a client, or of an address where no client is required. */
  readonly limit: RequestLimit
  /** Limit of the network of a caller that has not authenticated: a public client, or a failure. */
  readonly publicLimit: RequestLimit
  readonly confirm: ConfirmCaller
  /** Notes that a client with an entry in the directory got tokens. */
  readonly noteUse: (clientId: string) => void
  readonly now: Clock
}

/** RFC 6749 section 5.1. */
const HEADERS: HeaderList = [...NO_STORE, 'Pragma', 'no-cache']

/** The parameters of all grant types and ways to authenticate. Others do not reach a grant, so they may be repeated. */
const PARAMETERS: ReadonlySet<string> = new Set([
  ...['grant_type', 'client_id', 'client_secret', 'client_assertion', 'client_assertion_type'],
  ...['code', 'redirect_uri', 'code_verifier', 'refresh_token', 'scope', 'assertion', 'device_code'],
  ...['subject_token', 'subject_token_type', 'actor_token', 'actor_token_type', 'requested_token_type'],
  ...['audience', 'resource', 'authorization_details'],
])

/** The token endpoint (RFC 6749 section 3.2). */
export function tokenEndpoint(deps: TokenEndpointDeps): Endpoint {
  const { grants, authenticateClient, refusals, limit, publicLimit, confirm, noteUse, now } = deps
  return {
    path: ENDPOINT_PATHS.token,
    cors: registeredCors(deps.isRegisteredOrigin, ['POST'], deps.logger),
    methods: {
      async POST(req) {
        // RFC 8693 section 2.1 and RFC 8707 section 2; only the exchange reads them.
        const body = await readForm(req, { mayRepeat: ['audience', 'resource'], reads: PARAMETERS })
        const grantType = requireGrantType(body)
        const found = grants.get(grantType)
        const grant = (found?.methods === 'assertion' && found.ofClient(body)) || found
        if (grant === undefined) {
          throw new UnsupportedGrantTypeError('grant_type is not supported; discovery lists those that are', {
            reason: 'grant_type_unsupported',
          })
        }
        measureAsGrant(req, grantType)
        const request = { body, now: now(), clientAddress: clientAddress(req) }
        if (grant.methods === 'assertion') {
          limit(request.clientAddress)
          let confirmed: Awaited<ReturnType<ConfirmCaller>> | undefined
          const confirmOnce = async () => {
            confirmed = await confirm(req, undefined, request.now)
            return confirmed.cnf
          }
          const response = await grant.handle({ ...request, confirm: confirmOnce }).catch((error) => {
            if (error instanceof InvalidGrantError) publicLimit(request.clientAddress)
            throw error
          })
          return jsonAnswer(response, [...HEADERS, ...(confirmed?.headers ?? [])])
        }
        const proof = {
          ...request,
          authorization: req.headers.authorization,
          certificate: clientCertificate(req),
          onStated: (clientId: string) => setClientId(req, clientId),
          onFound: (clientId: string) => refusals.knowClient(req, clientId),
        }
        const caller = await requireCaller(authenticateClient, proof, grantType, grant).catch((error) => {
          if (error instanceof InvalidClientError) publicLimit(request.clientAddress)
          throw error
        })
        if (caller.method === 'none') publicLimit(request.clientAddress)
        limit(caller.client.clientId)
        const { headers, ...confirmed } = await confirm(req, caller.client, request.now)
        const response = await grant.handle({ ...request, ...confirmed }, caller)
        // A client with a URL has an application by now, and the directory holds a bounded number of these.
        noteUse(caller.client.clientId)
        return jsonAnswer(response, [...HEADERS, ...headers])
      },
    },
  }
}

function requireGrantType({ grant_type: grantType }: Readonly<Record<string, string>>): string {
  if (grantType) return grantType
  throw new InvalidRequestError('grant_type is required', { reason: 'grant_type_missing' })
}

/** The authenticated client, when it may use this grant type and authenticated in a way that the grant type takes. */
async function requireCaller(
  authenticateClient: AuthenticateClient,
  request: ClientRequest,
  grantType: string,
  { methods }: ClientGrant,
): Promise<AuthenticatedClient> {
  const caller = await authenticateClient(request)
  if (!methods.includes(caller.method)) {
    throw new InvalidClientError(`this grant_type takes ${methods.join(' or ')}`, {
      reason: 'client_auth_method_of_grant_type',
      basicTried: false,
    })
  }
  if (!caller.client.grantTypes.some((allowed) => allowed === grantType)) {
    throw new UnauthorizedClientError('the client may not use this grant_type; add it to its grantTypes', {
      reason: 'grant_type_not_allowed',
    })
  }
  return caller
}
