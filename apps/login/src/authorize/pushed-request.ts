// Pushed authorization requests (RFC 9126), from the endpoint that stores them to the response that uses them up.
//
// A request_uri is used once, at the response and not at the first page: a browser that loads the address twice, or a program
// that loads it before the person does, does not cost the sign-in (FAPI 2.0 Security Profile section 5.3.2.2).
import { InvalidRequestError } from '@signet/protocol/errors'
import { PageExpiredError } from '../sessions/browser.ts'
import type { FindClient } from './oauth-client.ts'
import { type RequestParameters, requestParameters } from './parameters.ts'
import type { Opening, Progress } from './pending-authorization.ts'
import { AuthorizePageError, proveClient } from './redirect.ts'

/** The beginning of each `request_uri` of this service, before its handle. Others are never fetched. */
const REQUEST_URI_PREFIX = 'urn:ietf:params:oauth:request_uri:'

export const requestUriOf = (handle: string): string => `${REQUEST_URI_PREFIX}${handle}`

/** A request as its client pushed it, after all checks. */
export interface PushedRequest {
  readonly clientId: string
  readonly parameters: Readonly<Record<string, string>>
}

/** Stores pushed requests for as long as their `request_uri` can be opened, and which of them are used. */
export interface PushedRequests {
  /** Returns the handle of the stored request. */
  store(request: PushedRequest): Promise<string>
  /** `used` once an opening has claimed it. */
  open(handle: string): Promise<PushedRequest | 'used' | undefined>
  /**
   * Uses the request up for one opening. Of any number of openings, on any number of replicas, exactly one has the claim; the
   * others get undefined.
   */
  claim(opening: Opening): Promise<'claimed' | 'claimed before' | undefined>
  /** Takes a claim back whose response could not be issued. */
  release(opening: Opening): Promise<void>
}

interface Dependencies {
  readonly findClient: FindClient
  readonly pushedRequests: PushedRequests
  readonly newValue: () => string
}

interface ReadParameters {
  readonly parameters: RequestParameters
  readonly progress: Pick<Progress, 'opening'>
}

/**
 * Returns the pushed parameters where a request names a `request_uri` of this service; those beside it do not count
 * (RFC 9126 section 4). Throws AuthorizePageError, and PageExpiredError for a request that is used or too old.
 */
export function createPushedParametersReader({ findClient, pushedRequests, newValue }: Dependencies) {
  return async (sent: RequestParameters): Promise<ReadParameters> => {
    const handle = handleOf(sent)
    if (handle === undefined) return { parameters: sent, progress: {} }
    const { clientId } = await proveClient(sent, findClient)
    const pushed = await pushedRequests.open(handle)
    if (pushed === undefined)
      throw new PageExpiredError('the request_uri is unknown or has expired', {
        reason: 'request_uri_expired',
        clientId,
      })
    if (pushed === 'used')
      throw new PageExpiredError('the request_uri was used', { reason: 'request_uri_used', clientId })
    if (pushed.clientId !== clientId) {
      throw new AuthorizePageError('request_uri belongs to another client than client_id.', {
        reason: 'request_uri_of_other_client',
        values: { clientId },
      })
    }
    return {
      parameters: requestParameters(Object.entries(pushed.parameters)),
      progress: { opening: { handle, claimant: newValue() } },
    }
  }
}

/** The handle of a `request_uri` of this service; undefined without one, and for any other URI. */
function handleOf(parameters: RequestParameters): string | undefined {
  const requestUri = parameters.get('request_uri')
  return requestUri?.startsWith(REQUEST_URI_PREFIX) ? requestUri.slice(REQUEST_URI_PREFIX.length) : undefined
}

/** The parameters that name a pushed request. */
export const pushedReference = (parameters: RequestParameters): Readonly<Record<string, string>> =>
  parameters.pick(['client_id', 'request_uri'])

/**
 * Issues the response of an opening: no other one gets a response then. When that fails, the request can be opened again.
 */
export async function respondOnce<T>(
  { claim, release }: Pick<PushedRequests, 'claim' | 'release'>,
  opening: Opening | undefined,
  respond: () => Promise<T>,
): Promise<T> {
  if (opening === undefined) return respond()
  const claimed = await claim(opening)
  if (claimed === undefined)
    throw new PageExpiredError('the request_uri was used', { reason: 'request_uri_used' })
  try {
    return await respond()
  } catch (error) {
    // Another call of this opening may have responded by its claim.
    if (claimed === 'claimed') await release(opening)
    throw error
  }
}

/** RFC 9126 section 2.1. */
export function refuseRequestUri(parameters: RequestParameters): void {
  if (!parameters.has('request_uri') && !parameters.repeated.has('request_uri')) return
  throw new InvalidRequestError('request_uri cannot be pushed; send the parameters themselves', {
    reason: 'request_uri_pushed',
  })
}
