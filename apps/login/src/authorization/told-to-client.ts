import { OAuthError, ServerError, TemporarilyUnavailableError } from '@signet/oauth-protocol/errors'
import type { RequestParameters } from '../authorize/parameters.ts'
import type { ProvenRedirect } from '../authorize/redirect.ts'
import { AuthorizationResponseError } from './authorization-response-error.ts'

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
