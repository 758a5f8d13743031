// Checks and stores a pushed authorization request (RFC 9126 section 2).
import { DpopProofError, InvalidRequestError, OAuthError } from '@signet/protocol/errors'
import { type RequestReading, readRequest } from './assess-authorization.ts'
import type { RequireAudiences } from './gates.ts'
import { AUTHORIZATION_PARAMETERS, addParameter, type RequestParameters } from './parameters.ts'
import type { CountPushed } from './pending-authorization.ts'
import { type PushedRequests, refuseRequestUri, requestUriOf } from './pushed-request.ts'
import { AuthorizationResponseError, AuthorizePageError } from './redirect.ts'
import type { ReadRequestObject } from './request-object.ts'
import type { ReadOrganizationContext } from './session-candidates.ts'

export interface CheckDependencies extends RequestReading {
  readonly readOrganizationContext: ReadOrganizationContext
  readonly requireAudiences: RequireAudiences
}

interface Dependencies extends CheckDependencies {
  readonly pushedRequests: PushedRequests
  readonly readRequestObject: ReadRequestObject
  readonly countPushed: CountPushed
}

/**
 * Stores the request of a client that has proven who it is, and returns its `request_uri`. Throws the OAuthError that the
 * authorization endpoint would send to the redirect URI, and InvalidRequestError where that would show a page (section 2.3).
 * `provenJkt` is the key of the DPoP proof that came with it, to which the code is bound as by `dpop_jkt` (RFC 9449 section 10.1).
 */
export type PushRequest = (
  parameters: RequestParameters,
  pushedBy: Parameters<CountPushed>[0],
  provenJkt: string | undefined,
) => Promise<string>

export function createPushRequest(dependencies: Dependencies): PushRequest {
  const { readRequestObject, pushedRequests, countPushed } = dependencies
  return async (parameters, pushedBy, provenJkt) => {
    countPushed(pushedBy, parameters.pick(AUTHORIZATION_PARAMETERS))
    refuseRequestUri(parameters)
    return withClientErrors(async () => {
      const read = boundTo(await readRequestObject(parameters), provenJkt)
      const { redirect, stored } = await checkRequest(read, dependencies)
      const { clientId } = redirect.client
      return requestUriOf(await pushedRequests.store({ clientId, parameters: stored }))
    })
  }
}

/**
 * Checks a request that a client sends itself, as far as no person is needed. Throws the errors of the authorization endpoint, which
 * `withClientErrors` makes errors for the client.
 */
export async function checkRequest(parameters: RequestParameters, dependencies: CheckDependencies) {
  const read = await readRequest(parameters, dependencies, { isPushed: true })
  const { redirect, request } = read
  await dependencies.readOrganizationContext(request.scopes)
  await dependencies.requireAudiences(redirect.client, request.scopes)
  return read
}

/** Turns the errors of an authorization request into those of an endpoint that the client calls itself. */
export async function withClientErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof AuthorizationResponseError) throw error.error
    if (!(error instanceof AuthorizePageError)) throw error
    if (error.cause instanceof OAuthError) throw error.cause
    throw new InvalidRequestError(error.message, { reason: error.reason, values: error.values })
  }
}

function boundTo(parameters: RequestParameters, provenJkt: string | undefined): RequestParameters {
  if (provenJkt === undefined) return parameters
  const stated = parameters.get('dpop_jkt')
  if (stated === undefined || stated === provenJkt) return addParameter(parameters, 'dpop_jkt', provenJkt)
  throw new DpopProofError('dpop_jkt is not the thumbprint of the key of the DPoP proof', {
    reason: 'dpop_jkt_of_other_key',
    isResource: false,
  })
}
