// Signed request objects (RFC 9101), by value: an authorization request as a JWT of its client.
import { AssertionRefusal, verifySignature } from '@signet/client-auth/signed-assertion'
import { MAKER_TOLERANCE_SECONDS } from '@signet/platform/redis/replay-guard'
import {
  InvalidRequestError,
  InvalidRequestObjectError,
  OAuthError,
  RequestNotSupportedError,
} from '@signet/protocol/errors'
import { decodeProtectedHeader } from 'jose'
import type { Client, FindClient } from './oauth-client.ts'
import { AUTHORIZATION_PARAMETERS, type RequestParameters, requestParameters } from './parameters.ts'
import {
  AuthorizationResponseError,
  AuthorizePageError,
  findShownClient,
  proveClient,
  proveRedirect,
} from './redirect.ts'

interface Dependencies {
  readonly issuer: string
  readonly findClient: FindClient
  readonly now: () => Date
}

/**
 * Returns the parameters of the request object where a request has one; those beside it do not count (RFC 9101 section 6.3).
 * A request without one is refused where the client has to sign. Throws AuthorizePageError, or AuthorizationResponseError where the parameters beside the object prove a redirect URI.
 */
export type ReadRequestObject = (sent: RequestParameters) => Promise<RequestParameters>

export function createRequestObjectReader(dependencies: Dependencies): ReadRequestObject {
  const { findClient } = dependencies
  return async (sent) => {
    const object = sent.get('request')
    const clientId = sent.get('client_id')
    const known = clientId === undefined ? undefined : await findShownClient(clientId, findClient)
    if (object === undefined && !known?.requiresSignedRequests) return sent
    const client = known ?? (await proveClient(sent, findClient))
    try {
      if (object === undefined) throw notSigned()
      return await readObject(object, client, dependencies)
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error
      if (sent.has('redirect_uri'))
        throw new AuthorizationResponseError(await proveRedirect(sent, findClient), error)
      const { message, reason } = error
      const values = { clientId: client.clientId }
      throw new AuthorizePageError(message, { reason, values, cause: error })
    }
  }
}

async function readObject(
  object: string,
  client: Client,
  { issuer, now }: Dependencies,
): Promise<RequestParameters> {
  refuseUnsigned(object)
  requireKeys(client)
  try {
    const claims = await verifySignature(
      object,
      { keys: client.keys, algorithms: client.signatureAlgorithms },
      now(),
    )
    requireAboutRequest(claims, client)
    requireForUs(claims.aud, issuer)
    requireInTime(claims, now().getTime() / 1000)
    if (client.requiresSignedRequests) requireBounded(claims, now().getTime() / 1000)
    return requestParameters(Object.entries(claims).flatMap(parameterOf))
  } catch (error) {
    if (!(error instanceof AssertionRefusal)) throw error
    const { message, reason, cause } = error
    throw new InvalidRequestObjectError(`The request object is refused: ${message}`, {
      reason: reason.replace('assertion_', 'request_object_'),
      cause,
    })
  }
}

/** An encrypted object is refused before its content is read, and so is one without a signature. */
function refuseUnsigned(object: string): void {
  const isEncrypted = object.split('.').length === 5
  if (!isEncrypted && algorithmOf(object) !== 'none') return
  throw new RequestNotSupportedError(
    isEncrypted
      ? 'Encrypted request objects are not supported; sign the object'
      : 'Request objects must be signed; alg none is not supported',
    { reason: isEncrypted ? 'request_object_encrypted' : 'request_object_unsigned' },
  )
}

/** An application without a registered key cannot have signed an object. */
function requireKeys({ keys }: Client): void {
  if (keys.length > 0) return
  throw new RequestNotSupportedError('Request objects need a registered key of the application', {
    reason: 'request_object_without_key',
  })
}

function algorithmOf(object: string): unknown {
  try {
    return decodeProtectedHeader(object).alg
  } catch {
    return undefined
  }
}

type Claims = Readonly<Record<string, unknown>>

/** RFC 9101 sections 5 and 10.8: about this client, and no assertion of it. */
function requireAboutRequest(
  { client_id, iss, sub, request, request_uri }: Claims,
  { clientId }: Client,
): void {
  if (client_id !== clientId) throw refused('client_id in it must be the client_id beside it', 'client')
  if (iss !== undefined && iss !== clientId) throw refused('iss must be the client_id', 'client')
  if (sub === clientId) throw refused('sub must not be the client_id, as in a client assertion', 'client')
  if (request !== undefined || request_uri !== undefined)
    throw refused('it must not hold request or request_uri', 'nested')
}

function requireForUs(aud: unknown, issuer: string): void {
  const named: readonly unknown[] = Array.isArray(aud) ? aud : [aud]
  if (aud !== undefined && !named.includes(issuer)) throw refused('aud must be the issuer', 'audience')
}

/** `exp` and `nbf` are at most an hour apart (FAPI 2.0 Message Signing section 5.3.1). */
function requireInTime({ exp, nbf, iat }: Claims, nowSeconds: number): void {
  for (const [name, value] of Object.entries({ exp, nbf, iat })) {
    if (value !== undefined && typeof value !== 'number') throw refused(`${name} must be a number`, 'times')
  }
  if (typeof exp === 'number' && exp <= nowSeconds - MAKER_TOLERANCE_SECONDS)
    throw refused('it has expired; sign a new one for each sign-in', 'expired')
  const earliest = typeof nbf === 'number' ? nbf : iat
  if (typeof earliest !== 'number') return
  if (earliest > nowSeconds + MAKER_TOLERANCE_SECONDS)
    throw refused('nbf or iat lies in the future; check the clock of the signer', 'early')
  if (typeof exp === 'number' && exp - earliest > LONGEST_LIFE_SECONDS)
    throw refused('exp is more than an hour after nbf or iat', 'times')
}

const LONGEST_LIFE_SECONDS = 3_600

/** The rules of FAPI 2.0 Message Signing section 5.3.1 beyond RFC 9101, for a client whose requests have to be signed. */
function requireBounded({ aud, exp, nbf }: Claims, nowSeconds: number): void {
  if (aud === undefined) throw refused('aud must be the issuer', 'audience')
  if (typeof nbf !== 'number' || typeof exp !== 'number')
    throw refused('exp and nbf are required, since the application has requireSignedRequests', 'times')
  if (nbf < nowSeconds - LONGEST_LIFE_SECONDS)
    throw refused('nbf is more than an hour ago; sign a new one for each sign-in', 'expired')
}

const notSigned = () =>
  new InvalidRequestError(
    'This application must send its parameters in a signed request object, as request',
    {
      reason: 'request_object_required',
    },
  )

/** A parameter as in a query; `max_age` may be a number there, and `claims` an object (OIDC Core section 6.1). */
function parameterOf([name, value]: [string, unknown]): (readonly [string, string])[] {
  if (!AUTHORIZATION_PARAMETERS.includes(name)) return []
  if (typeof value === 'string') return [[name, value]]
  if (typeof value === 'number') return [[name, String(value)]]
  if (name === 'claims' && typeof value === 'object' && value !== null) return [[name, JSON.stringify(value)]]
  // RFC 8707 section 2: one URI, or an array of them.
  if (name === 'resource' && Array.isArray(value) && value.every((uri) => typeof uri === 'string'))
    return [[name, value.join(' ')]]
  // RFC 9396 section 2: the array itself.
  if (name === 'authorization_details' && Array.isArray(value)) return [[name, JSON.stringify(value)]]
  throw refused(`${name} in it must be a string`, 'parameter')
}

const refused = (rule: string, reason: string) => new AssertionRefusal(rule, `request_object_${reason}`)
