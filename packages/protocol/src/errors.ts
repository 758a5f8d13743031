// Every error code that Signet sends: RFC 6749 sections 4.1.2.1 and 5.2, RFC 6750 section 3.1, OIDC Core section 3.1.2.6,
// RFC 7591 section 3.2.2, RFC 8628 section 3.5, RFC 9396 section 5, RFC 9449 section 12.2.

import { DPOP_ALGORITHMS } from './signing-algorithms.ts'

/** The values that a refusal compared, for the log line and the event. */
export interface RefusedValues {
  /** An existing client. */
  readonly clientId?: string | undefined
  /** The person whose session, code or token the request presents. */
  readonly userId?: string | undefined
  readonly received?: string | undefined
  readonly registered?: readonly string[] | undefined
  /** The application is in development: the error page shows the values too. */
  readonly devMode?: boolean | undefined
  /** Further short values, by their names. */
  readonly others?: Readonly<Record<string, string>> | undefined
}

interface Details {
  /** A snake_case label for logs and metrics; never sent. */
  readonly reason: string
  readonly cause?: unknown
  readonly values?: RefusedValues
}

/** The only kind of error whose text may reach a client. Anything else becomes `server_error`. */
export abstract class OAuthError extends Error {
  abstract readonly code: string
  readonly status: number = 400
  readonly reason: string
  values: RefusedValues
  /** False for an answer that is usual and expected: it is neither logged nor kept as a refusal. */
  readonly isRefusal: boolean = true

  /** `description` is a sentence for the client's developer: no ids, no values, no text of a cause. */
  constructor(description: string, { reason, cause, values = {} }: Details) {
    super(sendable(description), cause === undefined ? {} : { cause })
    this.name = new.target.name
    this.reason = reason
    this.values = values
  }

  get headers(): Readonly<Record<string, string>> {
    return {}
  }

  toResponseBody(): { error: string; error_description: string } {
    return { error: this.code, error_description: this.message }
  }
}

/** Runs the work; an `OAuthError` that it throws names the person, for its log line and its event. */
export async function namingUser<T>(
  findUserId: () => string | undefined,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof OAuthError) error.values = { userId: findUserId(), ...error.values }
    throw error
  }
}

export class InvalidRequestError extends OAuthError {
  readonly code = 'invalid_request'
  override readonly status: number
  readonly #headers: Readonly<Record<string, string>>

  /** `status` and `headers` are for rules of HTTP itself: 404, 405 with `Allow`, 413. */
  constructor(
    description: string,
    {
      status = 400,
      headers = {},
      ...details
    }: Details & { status?: number; headers?: Record<string, string> },
  ) {
    super(description, details)
    this.status = status
    this.#headers = headers
  }

  override get headers() {
    return this.#headers
  }
}

/** RFC 6749 section 5.2: 401, with a challenge when the client tried the Authorization header. */
export class InvalidClientError extends OAuthError {
  readonly code = 'invalid_client'
  override readonly status = 401
  readonly #basicTried: boolean

  constructor(description: string, { basicTried, ...details }: Details & { basicTried: boolean }) {
    super(description, details)
    this.#basicTried = basicTried
  }

  override get headers(): Readonly<Record<string, string>> {
    return this.#basicTried ? { 'WWW-Authenticate': 'Basic realm="signet", charset="UTF-8"' } : {}
  }
}

export class InvalidGrantError extends OAuthError {
  readonly code = 'invalid_grant'
}

/** RFC 8628 section 3.5: the person has not answered yet. Each device hears it every few seconds. */
export class AuthorizationPendingError extends OAuthError {
  readonly code = 'authorization_pending'
  override readonly isRefusal = false
}

/** RFC 8628 section 3.5. */
export class SlowDownError extends OAuthError {
  readonly code = 'slow_down'
}

/** RFC 8628 section 3.5. */
export class ExpiredTokenError extends OAuthError {
  readonly code = 'expired_token'
}

export class UnauthorizedClientError extends OAuthError {
  readonly code = 'unauthorized_client'
}

export class UnsupportedGrantTypeError extends OAuthError {
  readonly code = 'unsupported_grant_type'
}

export class InvalidScopeError extends OAuthError {
  readonly code = 'invalid_scope'
}

/** RFC 8693 section 2.2.2. */
export class InvalidTargetError extends OAuthError {
  readonly code = 'invalid_target'
}

/** RFC 9396 section 5. */
export class InvalidAuthorizationDetailsError extends OAuthError {
  readonly code = 'invalid_authorization_details'
}

export class UnsupportedResponseTypeError extends OAuthError {
  readonly code = 'unsupported_response_type'
}

export class AccessDeniedError extends OAuthError {
  readonly code = 'access_denied'
}

/** OpenID Connect Core Error Code unmet_authentication_requirements 1.0 section 2, RFC 9470 section 5. */
export class UnmetAuthenticationRequirementsError extends OAuthError {
  readonly code = 'unmet_authentication_requirements'
}

export class LoginRequiredError extends OAuthError {
  readonly code = 'login_required'
}

export class InteractionRequiredError extends OAuthError {
  readonly code = 'interaction_required'
}

export class ConsentRequiredError extends OAuthError {
  readonly code = 'consent_required'
}

export class RequestNotSupportedError extends OAuthError {
  readonly code = 'request_not_supported'
}

/** RFC 9101 section 7. */
export class InvalidRequestObjectError extends OAuthError {
  readonly code = 'invalid_request_object'
}

export class RequestUriNotSupportedError extends OAuthError {
  readonly code = 'request_uri_not_supported'
}

/** RFC 7591 section 3.2.2. */
export class ClientMetadataError extends OAuthError {
  readonly code: 'invalid_redirect_uri' | 'invalid_client_metadata' | 'unapproved_software_statement'

  constructor(description: string, { code, ...details }: Details & Pick<ClientMetadataError, 'code'>) {
    super(description, details)
    this.code = code
  }
}

/** RFC 7592 section 2: the registration access token is good, but not for this now. */
export class RegistrationDeniedError extends OAuthError {
  readonly code = 'access_denied'
  override readonly status = 403
}

/** The public form of every error that is not an `OAuthError`. */
export class ServerError extends OAuthError {
  readonly code = 'server_error'
  override readonly status = 500

  constructor(details: Details) {
    super('The server met an unexpected condition', details)
  }
}

/** Refused for the moment, with a `Retry-After` (RFC 9110 section 10.2.3). */
abstract class RetryLaterError extends OAuthError {
  readonly code = 'temporarily_unavailable'
  readonly #retryAfterSeconds: number

  constructor(
    description: string,
    { retryAfterSeconds = 1, ...details }: Details & { retryAfterSeconds?: number },
  ) {
    super(description, details)
    this.#retryAfterSeconds = retryAfterSeconds
  }

  override get headers() {
    return { 'Retry-After': String(this.#retryAfterSeconds) }
  }
}

/** A dependency is away; asking again later is harmless. */
export class TemporarilyUnavailableError extends RetryLaterError {
  override readonly status = 503
}

/** RFC 6585 section 4: asked too often; asking again after a while is harmless. */
export class RateLimitedError extends RetryLaterError {
  override readonly status = 429
}

/** The schemes by which an access token is presented (RFC 6750 section 2.1, RFC 9449 section 7.1). */
export type TokenScheme = 'Bearer' | 'DPoP'

/** A challenge for a token of this scheme; `parameters` are written as `, name="value"`. */
function challengeOf(scheme: TokenScheme, parameters: string): string {
  const algorithms = scheme === 'DPoP' ? `, algs="${DPOP_ALGORITHMS.join(' ')}"` : ''
  return `${scheme} realm="signet"${parameters}${algorithms}`
}

/** RFC 6750 section 3.1: the bearer token is missing, malformed, expired or revoked. */
export class InvalidTokenError extends OAuthError {
  readonly code = 'invalid_token'
  override readonly status = 401
  readonly #tokenGiven: boolean
  readonly #scheme: TokenScheme

  /**
   * Creates the error. Without a token the challenge carries no error code: the client may not have known that one is
   * needed.
   */
  constructor(
    description: string,
    { tokenGiven, scheme = 'Bearer', ...details }: Details & { tokenGiven: boolean; scheme?: TokenScheme },
  ) {
    super(description, details)
    this.#tokenGiven = tokenGiven
    this.#scheme = scheme
  }

  override get headers() {
    const error = this.#tokenGiven ? `, error="invalid_token", error_description="${this.message}"` : ''
    return { 'WWW-Authenticate': challengeOf(this.#scheme, error) }
  }
}

/**
 * RFC 9449 sections 5, 8 and 9: the DPoP proof is not valid, or it needs the nonce that the response has. 400 at an endpoint that
 * issues, 401 with a challenge at a resource.
 */
export class DpopProofError extends OAuthError {
  readonly code: 'invalid_dpop_proof' | 'use_dpop_nonce'
  override readonly status: 400 | 401
  /** Present with `use_dpop_nonce`. */
  readonly nonce: string | undefined

  constructor(
    description: string,
    { nonce, isResource, ...details }: Details & { nonce?: string | undefined; isResource: boolean },
  ) {
    super(description, details)
    this.code = nonce === undefined ? 'invalid_dpop_proof' : 'use_dpop_nonce'
    this.status = isResource ? 401 : 400
    this.nonce = nonce
  }

  override get headers(): Readonly<Record<string, string>> {
    const error = `, error="${this.code}", error_description="${this.message}"`
    return {
      ...(this.status === 401 && { 'WWW-Authenticate': challengeOf('DPoP', error) }),
      ...(this.nonce !== undefined && { 'DPoP-Nonce': this.nonce }),
    }
  }
}

/** RFC 6750 section 3.1: the token is good, but not for this. */
export class InsufficientScopeError extends OAuthError {
  readonly code = 'insufficient_scope'
  override readonly status = 403
  readonly #scope: string

  constructor(description: string, { scope, ...details }: Details & { scope: string }) {
    super(description, details)
    this.#scope = scope
  }

  override get headers() {
    const error = `error="insufficient_scope", error_description="${this.message}", scope="${this.#scope}"`
    return { 'WWW-Authenticate': `Bearer realm="signet", ${error}` }
  }
}

/** RFC 6749 section 5.2: printable ASCII without quotes and backslashes, so the text also fits a quoted header value. */
function sendable(description: string): string {
  return description.replaceAll(/[^\x20\x21\x23-\x5B\x5D-\x7E]/g, "'")
}
