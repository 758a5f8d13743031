import { OAuthError, ServerError, TemporarilyUnavailableError } from '@signet/protocol/errors'
import { isRegisteredRedirectUri } from '@signet/protocol/redirect-uri'
import { redirectTargetProblem } from '@signet/protocol/registered-uri'
import { type ResponseMode, responseModeFor } from '@signet/protocol/response-modes'
import { parseResponseType } from '@signet/protocol/response-types'
import { z } from 'zod'
import type { Client, FindClient } from './client.ts'
import { type RequestParameters, STATE_LIMIT } from './parameters.ts'

/** A redirect URI that belongs to the client: from here on the client gets to read what went wrong. */
export interface ProvenRedirect {
  readonly client: Client
  readonly redirectUri: string
  readonly responseMode: ResponseMode
  readonly state: string | undefined
}

const objectWithMode = z.object({ response_mode: z.string() })

/** The first stage of an authorization request. Throws AuthorizePageError. */
export async function proveRedirect(
  parameters: RequestParameters,
  findClient: FindClient,
): Promise<ProvenRedirect> {
  const client = await findClient(required(parameters, 'client_id'))
  if (client === undefined) {
    throw new AuthorizePageError('client_id is not the id of an active application of this service.', {
      reason: 'client_unknown',
    })
  }
  const redirectUri = required(parameters, 'redirect_uri')
  const anyLoopbackPort = client.isNative
  if (
    !isRedirectTarget(redirectUri) ||
    !isRegisteredRedirectUri(redirectUri, client.redirectUris, { anyLoopbackPort })
  ) {
    throw new AuthorizePageError(
      'redirect_uri is not registered for this application. It must equal a registered one character by character.',
      { reason: 'redirect_uri_unregistered' },
    )
  }
  return { client, redirectUri, ...answerForm(parameters) }
}

function required(parameters: RequestParameters, name: 'client_id' | 'redirect_uri'): string {
  const value = parameters.get(name)
  if (value !== undefined) return value
  if (parameters.withZeroCharacter.has(name)) {
    throw new AuthorizePageError('A parameter holds a zero character.', {
      reason: 'parameter_zero_character',
    })
  }
  throw new AuthorizePageError(
    parameters.repeated.has(name) ? `${name} was sent more than once.` : `${name} is missing.`,
    { reason: `${name}_missing` },
  )
}

function answerForm(parameters: RequestParameters): Pick<ProvenRedirect, 'responseMode' | 'state'> {
  const state = parameters.get('state')
  return {
    // A request with an unknown response type is answered where a code would have been.
    responseMode: responseModeFor(
      parseResponseType(parameters.get('response_type') ?? 'code') ?? 'code',
      parameters.get('response_mode') ?? responseModeInside(parameters.get('request')),
    ),
    // One that is too long is refused in the next stage, and could not be sent back in a header.
    state: state !== undefined && state.length <= STATE_LIMIT ? state : undefined,
  }
}

/**
 * The response_mode inside a request object, which nothing verifies: a request object is always refused, and this only
 * decides how the refusal is sent. A client that sends one may have put its response_mode nowhere else.
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

/** Whether a browser may be sent there at all, registered or not. */
export function isRedirectTarget(uri: string): boolean {
  return redirectTargetProblem(uri) === undefined
}

/** Adds parameters to the query of a URI without touching a byte of what is there. */
export function withQuery(uri: string, parameters: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(parameters).toString()
  if (query === '') return uri
  const separator = uri.includes('?') ? (/[?&]$/.test(uri) ? '' : '&') : '?'
  return `${uri}${separator}${query}`
}

// RFC 6749 sections 4.1.2 and 4.1.2.1; OIDC Core sections 3.1.2.5 and 3.2.2.5; RFC 9207 section 2.

/** An answer for the client, on its way through the browser. */
export interface AuthorizationResponse {
  readonly redirectUri: string
  readonly responseMode: ResponseMode
  readonly parameters: Readonly<Record<string, string>>
}

/** What a successful answer says beside `state` and `iss`: a code, or tokens. */
export type ResponseMembers = Readonly<Record<string, string>>

/** Makes the answers of one issuer: each names it, and echoes `state` as it came. */
export interface AuthorizationResponses {
  success(redirect: ProvenRedirect, members: ResponseMembers): AuthorizationResponse
  error(redirect: ProvenRedirect, error: OAuthError): AuthorizationResponse
}

export function authorizationResponses(issuer: string): AuthorizationResponses {
  const answer = (redirect: ProvenRedirect, members: ResponseMembers): AuthorizationResponse => ({
    redirectUri: redirect.redirectUri,
    responseMode: redirect.responseMode,
    parameters: {
      ...members,
      ...(redirect.state !== undefined && { state: redirect.state }),
      iss: issuer,
    },
  })
  return {
    success: answer,
    error: (redirect, error) => answer(redirect, { ...error.toResponseBody() }),
  }
}

/** A refusal that the client may read. It cannot be made without a proven redirect. */
export class AuthorizationResponseError extends Error {
  override readonly name = 'AuthorizationResponseError'
  readonly redirect: ProvenRedirect
  readonly error: OAuthError

  constructor(redirect: ProvenRedirect, error: OAuthError) {
    super(error.message, { cause: error })
    this.redirect = redirect
    this.error = error
  }
}

/**
 * Turns failures into answers for the client. A missing dependency is shown to the person instead, who can reload;
 * with prompt=none nobody is looking.
 */
export async function toldToClient<T>(
  redirect: ProvenRedirect,
  parameters: RequestParameters,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const isShown = error instanceof TemporarilyUnavailableError && parameters.get('prompt') !== 'none'
    if (isShown) throw error
    const told = error instanceof OAuthError ? error : new ServerError({ reason: 'unexpected', cause: error })
    throw new AuthorizationResponseError(redirect, told)
  }
}

/** A request whose redirect URI is not proven: the person is told, nobody is redirected (RFC 6749 section 4.1.2.1). */
export class AuthorizePageError extends Error {
  override readonly name = 'AuthorizePageError'
  readonly code = 'invalid_request'
  readonly reason: string

  /** `description` is shown; `reason` is the label for logs. */
  constructor(description: string, { reason }: { reason: string }) {
    super(description)
    this.reason = reason
  }
}
