import type { OAuthError } from '@signet/oauth-protocol/errors'
import type { ProvenRedirect } from './proven-redirect.ts'

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
