import type { OAuthError } from '@signet/oauth-protocol/errors'
import type { ProvenRedirect } from '../authorize/redirect.ts'

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
