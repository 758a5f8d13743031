import type { AuthenticateClient } from '@signet/client-auth/authenticate-client'
import { type Claims, projectAssertsRoles, wantsRoles } from '@signet/directory-reader/claims'
import type { DirectoryReader } from '@signet/directory-reader/directory-reader'
import { introspectionClaims } from '@signet/directory-reader/endpoint-claims'
import type { Account, Client } from '@signet/directory-reader/views'
import { clientCertificate } from '@signet/http/client-certificate'
import { type Endpoint, type HeaderList, jsonTextAnswer, NO_STORE } from '@signet/http/endpoint'
import { readForm } from '@signet/http/forms'
import type { RequestLimit } from '@signet/http/rate-limit'
import type { RefusalRecorder } from '@signet/http/refusals'
import { clientAddress, setClientId } from '@signet/http/request-context'
import type { Logger } from '@signet/platform/logger/logger'
import type { Metrics } from '@signet/platform/metrics/metrics'
import type { Clock } from '@signet/platform/runtime/clock'
import { InvalidRequestError } from '@signet/protocol/errors'
import { ENDPOINT_PATHS } from '@signet/protocol/routes'
import { formatScopeString, parseScopeString } from '@signet/protocol/scopes'
import type { AccessToken } from '@signet/tokens/access-token'
import { authorizationDetails, bearerForm, introspectedClaims } from '@signet/tokens/access-token-reader'
import type { AccessTokens } from './access-tokens.ts'
import { type FindPersonalToken, PERSONAL_TOKEN_SCOPES } from './access-tokens.ts'
import type { CachedResponse, ResponseCache } from './response-cache.ts'
import { INTROSPECTION_JWT_TYPE, type SignResponse, wantsSignedResponse } from './sign-response.ts'

interface IntrospectEndpointDeps {
  readonly introspect: Introspect
  readonly authenticateClient: AuthenticateClient
  readonly refusals: RefusalRecorder
  /** Limit of requests of each client. */
  readonly limit: RequestLimit
  /** Seconds since the last poll for revocations. */
  readonly revocationAge: () => number
  readonly signResponse: SignResponse
}

/** A poll each second is overdue after so many. */
const OVERDUE_SECONDS = 2

/** The introspection endpoint (RFC 7662, with signed responses of RFC 9701). */
export function createIntrospectEndpoint(deps: IntrospectEndpointDeps): Endpoint {
  const { introspect, authenticateClient, refusals, limit, revocationAge, signResponse } = deps
  return {
    path: ENDPOINT_PATHS.introspect,
    methods: {
      async POST(req) {
        const body = await readForm(req)
        const { authorization } = req.headers
        const { client } = await authenticateClient({
          authorization,
          certificate: clientCertificate(req),
          body,
          clientAddress: clientAddress(req),
          onStated: (clientId) => setClientId(req, clientId),
          onFound: (clientId) => refusals.knowClient(req, clientId),
        })
        limit(client.clientId)
        if (!body.token) throw new InvalidRequestError('token is required', { reason: 'token_missing' })
        const onForeign = ({ clientId }: AccessToken) =>
          refusals.reportChanged(req, { reason: 'token_not_in_audience', values: { tokenClient: clientId } })
        const text = await introspect(body.token, client, onForeign)
        const headers = headersAt(revocationAge())
        if (!wantsSignedResponse(req.headers.accept)) return jsonTextAnswer(text, headers)
        const signed = await signResponse(text, client)
        return { status: 200, headers: [...headers, 'Content-Type', INTROSPECTION_JWT_TYPE], body: signed }
      },
    },
  }
}

/** Shows how old the revocation data is while PostgreSQL is unavailable. */
function headersAt(age: number): HeaderList {
  if (age <= OVERDUE_SECONDS || !Number.isFinite(age)) return NO_STORE
  return [...NO_STORE, 'Signet-Revocation-Age', `${Math.floor(age)}`]
}

/**
 * The `IntrospectionResponse` for one caller, as JSON text; a token that is not meant for the caller gets the response
 * of an unknown one, and `onForeign` is called.
 */
export type Introspect = (
  token: string,
  caller: Client,
  onForeign?: (token: AccessToken) => void,
) => Promise<string>

/** RFC 7662 section 2.2. */
type IntrospectionResponse =
  | { readonly active: false }
  | { readonly active: true; readonly [claim: string]: unknown }

interface Deps extends PersonalDeps {
  readonly responses: ResponseCache
  readonly accessTokens: AccessTokens
  readonly now: Clock
  readonly logger: Logger
  readonly metrics?: Metrics | undefined
}

interface PersonalDeps {
  readonly issuer: string
  readonly directory: DirectoryReader
  readonly findPersonalToken: FindPersonalToken
}

const INACTIVE = written({ active: false })

export function createIntrospect(deps: Deps): Introspect {
  const { issuer, directory, responses, accessTokens } = deps
  const reportForeign = createForeignReport(deps)
  return async (value, caller, onForeign) => {
    if (bearerForm(value) === 'personal') return introspectPersonal(deps, value, caller)
    const assertRoles = await projectAssertsRoles(directory, caller.projectId)
    const isCacheable = !assertRoles && Object.keys(caller.claimMapping).length === 0
    const cached = isCacheable ? responses.get(value, caller) : undefined
    if (cached !== undefined) return (await isInactive(cached, deps.now)) ? INACTIVE : cached.text
    const known = await accessTokens.find(value)
    if (known === undefined) return INACTIVE
    const { token } = known
    if (!isInAudience(caller, token)) {
      reportForeign(token, caller)
      onForeign?.(token)
      return INACTIVE
    }
    if (token.user === undefined) {
      accessTokens.cache(value, known)
      return written(activeResponse(issuer, token, caller))
    }
    const account = await directory.account(token.user.id)
    if (account === undefined || !account.active) return INACTIVE
    const scopes = parseScopeString(token.scope)
    const claims = await introspectionClaims(directory, { scopes, account, caller, assertRoles })
    const text = written(activeResponse(issuer, token, caller, { account, claims }))
    // Roles and the mapping come from rows of their own, which may change while the row of the account does not.
    if (!isCacheable || wantsRoles(scopes)) accessTokens.cache(value, known)
    else responses.set(text, { value, known, account }, caller)
    return text
  }
}

/**
 * Counts and logs, at `debug`, the active tokens that a caller outside their audience presents. The
 * response does not say why a token is inactive (RFC 7662 section 2.2).
 */
function createForeignReport({ logger, metrics }: Pick<Deps, 'logger' | 'metrics'>) {
  const count = metrics?.counter({
    name: 'signet_introspection_foreign_tokens_total',
    help: 'Active tokens that were answered as inactive because the caller is not in their audience.',
    labels: [],
  })
  return (token: AccessToken, caller: Client): void => {
    count?.({})
    logger.debug('token_not_in_audience', { clientId: caller.clientId, audience: token.audience })
  }
}

async function isInactive({ expiresAt, hasEnded }: CachedResponse, now: Clock): Promise<boolean> {
  return expiresAt * 1000 <= now().getTime() || (await hasEnded())
}

/** A personal access token has no audience of its own: it is meant for every application of the instance. */
async function introspectPersonal(
  { issuer, directory, findPersonalToken }: PersonalDeps,
  value: string,
  caller: Client,
): Promise<string> {
  const mayAsk = caller.kind === 'application' && !caller.isRegistered
  const found = mayAsk ? await findPersonalToken(value) : undefined
  if (found === undefined) return INACTIVE
  const { token, account } = found
  const assertRoles = await projectAssertsRoles(directory, caller.projectId)
  return written({
    ...(await introspectionClaims(directory, {
      scopes: PERSONAL_TOKEN_SCOPES,
      account,
      caller,
      assertRoles,
    })),
    active: true,
    iss: issuer,
    sub: account.userId,
    aud: caller.projectId === null ? [caller.clientId] : [caller.clientId, caller.projectId],
    scope: formatScopeString(PERSONAL_TOKEN_SCOPES),
    token_type: 'Bearer',
    jti: token.tokenId,
    ...(token.expiresAt !== null && { exp: Math.floor(token.expiresAt.getTime() / 1000) }),
    username: account.loginName,
  })
}

function written(response: IntrospectionResponse): string {
  return JSON.stringify(response)
}

/** A client that registered itself is no API: it learns about its own tokens alone. */
function isInAudience(
  { clientId, projectId, isRegistered }: Client,
  { audience, ...token }: AccessToken,
): boolean {
  if (isRegistered) return token.clientId === clientId
  return audience.includes(clientId) || (projectId !== null && audience.includes(projectId))
}

/** RFC 9396 section 9.2: an API sees the details of its own types, the client to which the token was issued sees all. */
function detailsOf({ details, clientId }: AccessToken, caller: Client): AccessToken['details'] {
  if (caller.clientId === clientId) return details
  return details?.filter(({ projectId }) => projectId === caller.projectId)
}

function activeResponse(
  issuer: string,
  token: AccessToken,
  caller: Client,
  user?: { readonly account: Account; readonly claims: Claims },
): IntrospectionResponse {
  return {
    ...user?.claims,
    active: true,
    ...introspectedClaims(token, issuer),
    ...authorizationDetails(detailsOf(token, caller)),
    ...(user !== undefined && { username: user.account.loginName }),
  }
}
