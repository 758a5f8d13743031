// OIDC RP-Initiated Logout section 2.
import { InvalidRequestError } from '@signet/oauth-protocol/errors'
import { isRegisteredRedirectUri } from '@signet/oauth-protocol/redirect-uri'
import { END_SESSION_QUERY_LIMIT, STATE_LIMIT } from '../authorization/limits.ts'
import { isRedirectTarget, withQuery } from '../authorization/redirect-target.ts'
import type { Client, FindClient } from '../authorize/client.ts'
import type { IdTokenHint, ReadIdTokenHint } from '../authorize/id-token-hint.ts'
import type { RequestParameters } from '../authorize/parameters.ts'

const KNOWN_PARAMETERS = ['id_token_hint', 'client_id', 'post_logout_redirect_uri', 'state', 'ui_locales']

/**
 * The known parameters of a sign-out request as the query of a URL, in which it is passed on instead of being stored.
 * Throws InvalidRequestError for one that no URL can carry.
 */
export function endSessionQuery(parameters: RequestParameters): string {
  refuseAmbiguous(parameters)
  const query = new URLSearchParams(parameters.pick(KNOWN_PARAMETERS)).toString()
  if (query.length <= END_SESSION_QUERY_LIMIT) return query
  throw new InvalidRequestError(
    `The parameters of a sign-out may have at most ${END_SESSION_QUERY_LIMIT} characters together.`,
    { reason: 'parameters_too_long' },
  )
}

function refuseAmbiguous({ repeated, withZeroCharacter }: RequestParameters): void {
  if (repeated.size > 0) {
    throw new InvalidRequestError('A parameter was sent more than once.', { reason: 'parameter_repeated' })
  }
  if (withZeroCharacter.size > 0) {
    throw new InvalidRequestError('A parameter holds a zero character.', {
      reason: 'parameter_zero_character',
    })
  }
}

/** A sign-out request in which everything that was given is right. */
interface EndSessionRequest {
  readonly hint: IdTokenHint | undefined
  readonly client: Client | undefined
  /** Where the browser goes afterwards, `state` included; undefined for our own page. */
  readonly target: string | undefined
}

/** Checks a sign-out request. Throws InvalidRequestError, which is shown: nobody is redirected to an unproven URI. */
export type ReadEndSessionRequest = (parameters: RequestParameters) => Promise<EndSessionRequest>

export function endSessionRequests(
  findClient: FindClient,
  readIdTokenHint: ReadIdTokenHint,
): ReadEndSessionRequest {
  return async (parameters) => {
    refuseAmbiguous(parameters)
    const hint = await readHint(parameters.get('id_token_hint'), readIdTokenHint)
    const client = await readClient(parameters.get('client_id'), hint, findClient)
    return { hint, client, target: readTarget(parameters, client, hint) }
  }
}

async function readHint(token: string | undefined, read: ReadIdTokenHint): Promise<IdTokenHint | undefined> {
  if (token === undefined) return undefined
  const hint = await read(token)
  if (hint !== undefined) return hint
  throw new InvalidRequestError('id_token_hint is not an ID token of this service.', {
    reason: 'hint_invalid',
  })
}

async function readClient(
  clientId: string | undefined,
  hint: IdTokenHint | undefined,
  findClient: FindClient,
): Promise<Client | undefined> {
  if (clientId !== undefined && hint !== undefined && clientId !== hint.clientId) {
    throw new InvalidRequestError('client_id is not the application that id_token_hint was issued to.', {
      reason: 'client_mismatch',
    })
  }
  const id = clientId ?? hint?.clientId
  const client = id === undefined ? undefined : await findClient(id)
  if (client === undefined && clientId !== undefined) {
    throw new InvalidRequestError('client_id is not the id of an active application of this service.', {
      reason: 'client_unknown',
    })
  }
  return client
}

function readTarget(
  parameters: RequestParameters,
  client: Client | undefined,
  hint: IdTokenHint | undefined,
): string | undefined {
  const uri = parameters.get('post_logout_redirect_uri')
  // Without a client there is no list to compare with: SPEC has the URI ignored then.
  if (uri === undefined || (client === undefined && hint === undefined)) return undefined
  const registered = client?.postLogoutRedirectUris ?? []
  const anyLoopbackPort = client?.isNative ?? false
  if (!isRedirectTarget(uri) || !isRegisteredRedirectUri(uri, registered, { anyLoopbackPort })) {
    throw new InvalidRequestError('post_logout_redirect_uri is not registered for this application.', {
      reason: 'post_logout_redirect_uri_unregistered',
    })
  }
  const state = parameters.get('state')
  if (state !== undefined && state.length > STATE_LIMIT) {
    throw new InvalidRequestError(`state may have at most ${STATE_LIMIT} characters.`, {
      reason: 'state_too_long',
    })
  }
  return withQuery(uri, state === undefined ? {} : { state })
}
