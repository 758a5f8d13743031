import {
  parseResponseType,
  type ResponseForm,
  type ResponseMode,
  responseFormFor,
} from '@signet/protocol/authorization-parameters'
import {
  InvalidClientError,
  OAuthError,
  type RefusedValues,
  ServerError,
  TemporarilyUnavailableError,
} from '@signet/protocol/errors'
import { isRegisteredRedirectUri, redirectTargetProblem } from '@signet/protocol/redirect-uri'
import { z } from 'zod'
import { ImpersonationLimitError } from '../sessions/impersonation.ts'
import type { Client, FindClient } from './oauth-client.ts'
import { type RequestParameters, STATE_LIMIT } from './parameters.ts'

/** A redirect URI that is registered for the client. Errors after this stage are sent to the client. */
export interface ProvenRedirect extends ResponseForm {
  readonly client: Client
  readonly redirectUri: string
  readonly state: string | undefined
}

const objectWithMode = z.object({ response_mode: z.string() })

/** Finds a client. Throws AuthorizePageError for one whose document is refused. */
export async function findShownClient(clientId: string, findClient: FindClient): ReturnType<FindClient> {
  try {
    return await findClient(clientId)
  } catch (error) {
    if (!(error instanceof InvalidClientError)) throw error
    const { reason, values } = error
    throw new AuthorizePageError(error.message, { reason, values: { received: clientId, ...values } })
  }
}

/** Finds the active client of a request. Throws AuthorizePageError. */
export async function proveClient(parameters: RequestParameters, findClient: FindClient): Promise<Client> {
  const clientId = required(parameters, 'client_id')
  const client = await findShownClient(clientId, findClient)
  if (client === undefined) {
    throw new AuthorizePageError(
      'client_id is not the client id of an active application of this service. The id of an application is another value.',
      {
        reason: 'client_unknown',
        values: { received: clientId },
      },
    )
  }
  return client
}

/** The first stage of an authorization request. Throws AuthorizePageError. */
export async function proveRedirect(
  parameters: RequestParameters,
  findClient: FindClient,
): Promise<ProvenRedirect> {
  const client = await proveClient(parameters, findClient)
  const { clientId } = client
  const redirectUri = required(parameters, 'redirect_uri', clientId)
  if (
    !isRedirectTarget(redirectUri) ||
    !isRegisteredRedirectUri(redirectUri, client.redirectUris, client.portRule)
  ) {
    throw new AuthorizePageError(
      'redirect_uri is not among the redirectUris of this application. It must equal one of them character by character.',
      {
        reason: 'redirect_uri_unregistered',
        values: {
          clientId,
          received: redirectUri,
          registered: client.redirectUris,
          devMode: client.devMode,
        },
      },
    )
  }
  return { client, redirectUri, ...responseForm(parameters) }
}

function required(
  parameters: RequestParameters,
  name: 'client_id' | 'redirect_uri',
  clientId?: string,
): string {
  const value = parameters.get(name)
  if (value !== undefined) return value
  if (parameters.withZeroCharacter.has(name)) {
    throw new AuthorizePageError('A parameter holds a zero character.', {
      reason: 'parameter_zero_character',
      values: { clientId },
    })
  }
  throw new AuthorizePageError(
    parameters.repeated.has(name) ? `${name} was sent more than once.` : `${name} is missing.`,
    { reason: `${name}_missing`, values: { clientId } },
  )
}

function responseForm(parameters: RequestParameters): ResponseForm & Pick<ProvenRedirect, 'state'> {
  const state = parameters.get('state')
  return {
    // A request with an unknown response type gets its error in the mode of a code.
    ...responseFormFor(
      parseResponseType(parameters.get('response_type') ?? 'code') ?? 'code',
      parameters.get('response_mode') ?? responseModeInside(parameters.get('request')),
    ),
    // The next stage refuses a longer state, which does not fit into a header of the response.
    state: state !== undefined && state.length <= STATE_LIMIT ? state : undefined,
  }
}

/**
 * The response_mode in an unverified request object. A request object is always refused; its response_mode decides only how
 * the error is sent, since the parameter may be missing outside of it.
 */
function responseModeInside(requestObject: string | undefined): string | undefined {
  try {
    const payload: unknown = JSON.parse(
      Buffer.from(requestObject?.split('.')[1] ?? '', 'base64url').toString(),
    )
    return objectWithMode.safeParse(payload).data?.response_mode
  } catch {
    return undefined
  }
}

/** Whether a browser may be redirected to the URI, registered or not. */
export function isRedirectTarget(uri: string): boolean {
  return redirectTargetProblem(uri) === undefined
}

/** Adds parameters to the query of a URI without changing the existing bytes. */
export function withQuery(uri: string, parameters: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(parameters).toString()
  if (query === '') return uri
  const separator = uri.includes('?') ? (/[?&]$/.test(uri) ? '' : '&') : '?'
  return `${uri}${separator}${query}`
}

// RFC 6749 sections 4.1.2 and 4.1.2.1; OIDC Core sections 3.1.2.5 and 3.2.2.5; RFC 9207 section 2.

/** A response to the client, sent through the browser. */
export interface AuthorizationResponse {
  readonly redirectUri: string
  readonly responseMode: ResponseMode
  readonly parameters: Readonly<Record<string, string>>
}

/** The members of a successful response besides `state` and `iss`: a code or tokens. */
export type ResponseMembers = Readonly<Record<string, string>>

/**
 * Creates the responses of one issuer, with `iss` and the unchanged `state`. Rejects with TemporarilyUnavailableError while a
 * response cannot be signed whose client asks for that.
 */
export interface AuthorizationResponses {
  success(redirect: ProvenRedirect, members: ResponseMembers): Promise<AuthorizationResponse>
  error(redirect: ProvenRedirect, error: OAuthError): Promise<AuthorizationResponse>
}

/** Signs the parameters of a response for its client (JARM section 2.1); the JWT has `iss`, `aud` and `exp` besides. */
export type SignResponse = (client: Client, parameters: ResponseMembers) => Promise<string>

export function authorizationResponses(issuer: string, signResponse: SignResponse): AuthorizationResponses {
  const response = async (
    { client, redirectUri, responseMode, isSigned, state }: ProvenRedirect,
    members: ResponseMembers,
  ): Promise<AuthorizationResponse> => {
    const parameters = { ...members, ...(state !== undefined && { state }) }
    return {
      redirectUri,
      responseMode,
      parameters: isSigned
        ? { response: await signResponse(client, parameters) }
        : { ...parameters, iss: issuer },
    }
  }
  return {
    success: response,
    error: (redirect, error) => response(redirect, { ...error.toResponseBody() }),
  }
}

/** An error that is sent to the client. It needs a proven redirect. */
export class AuthorizationResponseError extends Error {
  override readonly name = 'AuthorizationResponseError'
  readonly redirect: ProvenRedirect
  readonly error: OAuthError
  /** The response, where it was made already. */
  readonly response: AuthorizationResponse | undefined

  constructor(redirect: ProvenRedirect, error: OAuthError, response?: AuthorizationResponse) {
    super(error.message, { cause: error })
    this.redirect = redirect
    this.error = error
    this.response = response
  }

  /** Names the client, for the log line and the event. */
  get about(): Pick<RefusedValues, 'clientId'> {
    return { clientId: this.redirect.client.clientId }
  }
}

/**
 * Turns errors into errors that are sent to the client. TemporarilyUnavailableError is shown to the user instead, who
 * can reload the page, except with prompt=none.
 */
export async function withRedirectErrors<T>(
  redirect: ProvenRedirect,
  parameters: RequestParameters,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const isShown = error instanceof TemporarilyUnavailableError && parameters.get('prompt') !== 'none'
    if (isShown || error instanceof ImpersonationLimitError) throw error
    const clientError =
      error instanceof OAuthError ? error : new ServerError({ reason: 'unexpected', cause: error })
    throw new AuthorizationResponseError(redirect, clientError)
  }
}

/**
 * An error before the redirect URI is proven: it is shown to the user without a redirect (RFC 6749 section 4.1.2.1).
 */
export class AuthorizePageError extends Error {
  override readonly name = 'AuthorizePageError'
  readonly code: string
  readonly reason: string
  readonly values: RefusedValues

  /** `description` is shown; `reason` is the label for the log. */
  constructor(
    description: string,
    { reason, values = {}, cause }: { reason: string; values?: RefusedValues; cause?: OAuthError },
  ) {
    super(description, cause === undefined ? {} : { cause })
    this.code = cause?.code ?? 'invalid_request'
    this.reason = reason
    this.values = values
  }
}
