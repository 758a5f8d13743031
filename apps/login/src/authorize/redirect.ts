import { isRegisteredRedirectUri } from '@signet/oauth-protocol/redirect-uri'
import { type ResponseMode, responseModeFor } from '@signet/oauth-protocol/response-modes'
import { parseResponseType } from '@signet/oauth-protocol/response-types'
import { z } from 'zod'
import { AuthorizePageError } from '../authorization/authorize-page-error.ts'
import { STATE_LIMIT } from '../authorization/limits.ts'
import { isRedirectTarget } from '../authorization/redirect-target.ts'
import type { Client, FindClient } from './client.ts'
import type { RequestParameters } from './parameters.ts'

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
