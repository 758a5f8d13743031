import type { GrantedDetail } from '@signet/protocol/authorization-details'
import {
  parsePrompt,
  parseResponseType,
  RESPONSE_TYPES,
  type ResponseType,
} from '@signet/protocol/authorization-parameters'
import { isOpenScope } from '@signet/protocol/client-id-url'
import {
  InvalidRequestError,
  InvalidScopeError,
  RequestUriNotSupportedError,
  UnauthorizedClientError,
  UnsupportedResponseTypeError,
} from '@signet/protocol/errors'
import { GRANT_TYPES } from '@signet/protocol/grant-types'
import { isCodeChallenge } from '@signet/protocol/pkce'
import { parseScopeString, type ScopeDrop, scopeDrop } from '@signet/protocol/scopes'
import { isThumbprint } from '@signet/protocol/thumbprint'
import type { Client } from './oauth-client.ts'
import {
  knownParameters,
  LOGIN_HINT_LIMIT,
  NONCE_LIMIT,
  REQUEST_BYTES_LIMIT,
  type RequestParameters,
  SCOPE_LIMIT,
  SCOPES_LIMIT,
  STATE_LIMIT,
} from './parameters.ts'
import { knownAcrs, type RequestedClaims, readClaimsRequest } from './requested-claims.ts'

// Parameters of an authorization request: OIDC Core sections 3.1.2.1 and 3.2.2.1; RFC 6749 section 4.1.1; RFC 7636
// section 4.3.

/** Checked in this order before any member is read. The client gets the error of the first rule that fails. */
const RULES = [refuseRepeated, refuseZeroCharacters, refuseRequestUris, refuseLongValues, refuseTooManyBytes]

const MEMBERS = {
  responseType: readResponseType,
  scopes: readScopes,
  scopeChanges: readScopeChanges,
  codeChallenge: readCodeChallenge,
  dpopJkt: readDpopJkt,
  nonce: readNonce,
  claims: readClaims,
  acrValues: (parameters) => knownAcrs((parameters.get('acr_values') ?? '').split(' ')),
  prompts: (parameters) => parsePrompt(parameters.get('prompt')),
  maxAgeSeconds: readMaxAge,
  idTokenHint: (parameters) => parameters.get('id_token_hint'),
  loginHint: readLoginHint,
  uiLocales: (parameters) => parameters.get('ui_locales'),
} satisfies Record<string, (parameters: RequestParameters, client: Client) => unknown>

/** A request with valid parameters. Whether a session satisfies it is checked later. */
export type AuthorizationRequest = {
  readonly [K in keyof typeof MEMBERS]: ReturnType<(typeof MEMBERS)[K]>
} & {
  /** Rich authorization (RFC 9396), whose types were found; absent without. */
  readonly details?: readonly GrantedDetail[]
  /** The scopes of APIs that the details alone name. A consent to a detail is none to its API. */
  readonly scopesOfDetails?: readonly string[]
}

/** Reads the request of a client whose redirect URI is proven. Throws OAuthError. */
export function readAuthorizationRequest(
  parameters: RequestParameters,
  client: Client,
): AuthorizationRequest {
  for (const rule of RULES) rule(parameters)
  const members = Object.entries(MEMBERS).map(([name, read]) => [name, read(parameters, client)])
  return Object.fromEntries(members)
}

// Rules for all parameters. Each throws OAuthError.

/** RFC 6749 section 3.1: parameters must not be repeated. */
function refuseRepeated(parameters: RequestParameters): void {
  if (parameters.repeated.size === 0) return
  throw new InvalidRequestError('A parameter was sent more than once', { reason: 'parameter_repeated' })
}

/** PostgreSQL cannot store U+0000. */
function refuseZeroCharacters(parameters: RequestParameters): void {
  if (parameters.withZeroCharacter.size === 0) return
  throw new InvalidRequestError('A parameter holds a zero character', { reason: 'parameter_zero_character' })
}

/**
 * OIDC Core section 6.2: a `request_uri` of others is never fetched. Request objects and pushed requests were read before. The
 * error goes only to a proven redirect URI.
 */
function refuseRequestUris(parameters: RequestParameters): void {
  if (parameters.has('request_uri')) {
    throw new RequestUriNotSupportedError('Send the parameters themselves instead of a request_uri', {
      reason: 'request_uri',
    })
  }
}

const LIMITS = { state: STATE_LIMIT, nonce: NONCE_LIMIT } as const

/** A pending request is stored before its user is known, so its size is limited. */
function refuseTooManyBytes(parameters: RequestParameters): void {
  if (Buffer.byteLength(JSON.stringify(knownParameters(parameters))) <= REQUEST_BYTES_LIMIT) return
  throw new InvalidRequestError(`The parameters together may have at most ${REQUEST_BYTES_LIMIT} bytes`, {
    reason: 'parameters_too_long',
  })
}

/** Limits values that the response header or the sealed code has to carry. */
function refuseLongValues(parameters: RequestParameters): void {
  for (const [name, limit] of Object.entries(LIMITS)) {
    if ((parameters.get(name)?.length ?? 0) > limit) {
      throw new InvalidRequestError(`${name} may have at most ${limit} characters`, {
        reason: `${name}_too_long`,
      })
    }
  }
}

// Readers of the members. Each throws OAuthError.

/** OIDC Core section 3.1.2.1, limited to the response types and grant types of the application. */
function readResponseType(parameters: RequestParameters, client: Client): ResponseType {
  const value = parameters.get('response_type')
  if (value === undefined) {
    throw new InvalidRequestError('response_type is required', { reason: 'response_type_missing' })
  }
  const responseType = parseResponseType(value)
  if (responseType === undefined) {
    throw new UnsupportedResponseTypeError(`response_type takes ${RESPONSE_TYPES.join(', ')}`, {
      reason: 'response_type_unsupported',
    })
  }
  if (!client.responseTypes.includes(responseType)) {
    throw new UnauthorizedClientError('The response_type is not enabled for this application', {
      reason: 'response_type_not_allowed',
    })
  }
  if (responseType === 'code' && !client.grantTypes.includes(GRANT_TYPES.authorizationCode)) {
    throw new UnauthorizedClientError(
      'The grant type authorization_code is not enabled for this application',
      { reason: 'grant_type_not_allowed' },
    )
  }
  if (responseType === 'id_token token' && client.bindsAccessTokens) {
    throw new UnauthorizedClientError(
      'Access tokens of the application are bound to a key or a certificate, and those of the authorization endpoint have none; use code',
      { reason: 'response_type_not_bound' },
    )
  }
  return responseType
}

/** OIDC Core section 3.2.2.1: without a code, only the nonce binds the response to the request. */
function readNonce(parameters: RequestParameters): string | undefined {
  const nonce = parameters.get('nonce')
  const responseType = parseResponseType(parameters.get('response_type') ?? '')
  if (nonce === undefined && responseType !== 'code') {
    throw new InvalidRequestError('nonce is required with this response_type', { reason: 'nonce_missing' })
  }
  return nonce
}

/** OIDC Core section 5.5. */
function readClaims(parameters: RequestParameters, client: Client): RequestedClaims | undefined {
  const text = parameters.get('claims')
  if (text === undefined) return undefined
  return client.documentHost === undefined ? readClaimsRequest(text) : readClaimsRequest(text, isOpenScope)
}

/**
 * The scopes that are kept, in the order of the request. No refresh token can follow without a code (OIDC Core section 11)
 * or without the grant type.
 */
function readScopes(parameters: RequestParameters, client: Client): readonly string[] {
  const value = parameters.get('scope')
  if (value === undefined && client.documentHost === undefined) {
    throw new InvalidRequestError('scope is required and must include openid', { reason: 'scope_missing' })
  }
  const scopes = sentScopes(parameters, client)
  if (scopes.length > SCOPES_LIMIT || scopes.some((scope) => scope.length > SCOPE_LIMIT)) {
    throw new InvalidScopeError(
      `scope takes at most ${SCOPES_LIMIT} words of at most ${SCOPE_LIMIT} characters`,
      { reason: 'scope_too_long' },
    )
  }
  if (!scopes.includes('openid')) {
    throw new InvalidScopeError('scope must include openid', { reason: 'scope_without_openid' })
  }
  const drop = createScopeDrop(parameters, client)
  return scopes.filter((scope) => drop(scope) === undefined)
}

/** Clients that describe themselves often know OAuth alone: their requests have the default scope openid (RFC 6749 section 3.3). */
function sentScopes(parameters: RequestParameters, client: Client): readonly string[] {
  const scopes = parseScopeString(parameters.get('scope'))
  return client.documentHost === undefined ? scopes : [...new Set(['openid', ...scopes])]
}

function createScopeDrop(parameters: RequestParameters, client: Client) {
  const mayRefresh = asksForCode(parameters) && allowsRefresh(client)
  return (scope: string): ScopeDrop | undefined =>
    client.documentHost !== undefined && !isOpenScope(scope) ? 'scope_unknown' : scopeDrop(scope, mayRefresh)
}

const asksForCode = (parameters: RequestParameters) =>
  parseResponseType(parameters.get('response_type') ?? '') === 'code'
const allowsRefresh = (client: Client) => client.grantTypes.includes(GRANT_TYPES.refreshToken)

/** Parts of a valid `scope` without effect. */
export interface ScopeChanges {
  /** Words that mean nothing here. */
  readonly dropped: readonly string[]
  /** `offline_access` was asked for, and the application has no refresh tokens. */
  readonly lacksRefresh: boolean
  /** The application has refresh tokens, and `offline_access` was not asked for. */
  readonly lacksOfflineAccess: boolean
}

/** Reads the scopes that `readScopes` has checked. */
function readScopeChanges(parameters: RequestParameters, client: Client): ScopeChanges {
  const scopes = sentScopes(parameters, client)
  const mayRefresh = asksForCode(parameters) && allowsRefresh(client)
  const drop = createScopeDrop(parameters, client)
  const drops = scopes.map((scope) => [scope, drop(scope)] as const)
  return {
    dropped: drops.flatMap(([scope, drop]) => (drop === 'scope_unknown' ? [scope] : [])),
    lacksRefresh: drops.some(([, drop]) => drop === 'no_refresh_token'),
    lacksOfflineAccess: mayRefresh && !scopes.includes('offline_access'),
  }
}

/**
 * RFC 7636 section 4.4.1; RFC 9700 section 2.1.1: clients with `requiresPkce` (`@signet/protocol/pkce`) must send a challenge
 * for a code; `plain` is refused. A request without a code needs no challenge.
 */
function readCodeChallenge(parameters: RequestParameters, client: Client): string | undefined {
  if (parseResponseType(parameters.get('response_type') ?? '') !== 'code') return undefined
  const challenge = parameters.get('code_challenge')
  const method = parameters.get('code_challenge_method')
  if (challenge === undefined) {
    if (method !== undefined) {
      throw new InvalidRequestError('code_challenge_method needs a code_challenge', {
        reason: 'code_challenge_missing',
      })
    }
    if (client.requiresPkce) {
      throw new InvalidRequestError(
        'This application must send a code_challenge with code_challenge_method S256',
        { reason: 'pkce_required' },
      )
    }
    return undefined
  }
  if (method !== 'S256') {
    throw new InvalidRequestError('code_challenge_method must be S256', { reason: 'pkce_method' })
  }
  if (!isCodeChallenge(challenge)) {
    throw new InvalidRequestError('code_challenge must be the base64url of a SHA-256 value, 43 characters', {
      reason: 'code_challenge_malformed',
    })
  }
  return challenge
}

/** RFC 9449 section 10: the code is bound to the key that the client will prove. Without a code there is nothing to bind. */
function readDpopJkt(parameters: RequestParameters): string | undefined {
  const jkt = parameters.get('dpop_jkt')
  if (jkt === undefined || !asksForCode(parameters)) return undefined
  if (!isThumbprint(jkt)) {
    throw new InvalidRequestError('dpop_jkt must be the base64url of a SHA-256 thumbprint, 43 characters', {
      reason: 'dpop_jkt_malformed',
    })
  }
  return jkt
}

/** Maximum age in seconds of the last authentication. */
function readMaxAge(parameters: RequestParameters): number | undefined {
  const value = parameters.get('max_age')
  if (value === undefined) return undefined
  if (!/^\d{1,10}$/.test(value)) {
    throw new InvalidRequestError('max_age must be a number of seconds', { reason: 'max_age_malformed' })
  }
  return Number(value)
}

/** A hint that is too long is ignored. */
function readLoginHint(parameters: RequestParameters): string {
  const value = parameters.get('login_hint') ?? ''
  return value.length > LOGIN_HINT_LIMIT ? '' : value
}
