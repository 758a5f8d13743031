// What a request says, one reader for each member. Each throws OAuthError.
import {
  InvalidRequestError,
  InvalidScopeError,
  UnauthorizedClientError,
  UnsupportedResponseTypeError,
} from '@signet/oauth-protocol/errors'
import { GRANT_TYPES } from '@signet/oauth-protocol/grant-types'
import { isCodeChallenge } from '@signet/oauth-protocol/pkce'
import { parseResponseType, RESPONSE_TYPES, type ResponseType } from '@signet/oauth-protocol/response-types'
import { parseScopeString } from '@signet/oauth-protocol/scope-string'
import { isKnownScope } from '@signet/oauth-protocol/scopes'
import { type RequestedClaims, readClaimsRequest } from '../authorize/claims-request.ts'
import type { Client } from '../authorize/client.ts'
import type { RequestParameters } from '../authorize/parameters.ts'
import { LOGIN_HINT_LIMIT, SCOPE_LIMIT, SCOPES_LIMIT } from './limits.ts'

/** OIDC Core section 3.1.2.1, within what the application is registered for. */
export function readResponseType(parameters: RequestParameters, client: Client): ResponseType {
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
  return responseType
}

/** OIDC Core section 3.2.2.1: without a code it is all that ties the answer to the request. */
export function readNonce(parameters: RequestParameters): string | undefined {
  const nonce = parameters.get('nonce')
  const responseType = parseResponseType(parameters.get('response_type') ?? '')
  if (nonce === undefined && responseType !== 'code') {
    throw new InvalidRequestError('nonce is required with this response_type', { reason: 'nonce_missing' })
  }
  return nonce
}

/** OIDC Core section 5.5. */
export function readClaims(parameters: RequestParameters): RequestedClaims | undefined {
  const text = parameters.get('claims')
  return text === undefined ? undefined : readClaimsRequest(text)
}

/**
 * The known scopes in the order they were asked for; unknown ones are dropped (OIDC Core section 3.1.2.1), and so is
 * offline_access where no code comes of the request (section 11): no refresh token can follow.
 */
export function readScopes(parameters: RequestParameters): readonly string[] {
  const value = parameters.get('scope')
  if (value === undefined) {
    throw new InvalidRequestError('scope is required and must include openid', { reason: 'scope_missing' })
  }
  const scopes = parseScopeString(value)
  if (scopes.length > SCOPES_LIMIT || scopes.some((scope) => scope.length > SCOPE_LIMIT)) {
    throw new InvalidScopeError(
      `scope takes at most ${SCOPES_LIMIT} words of at most ${SCOPE_LIMIT} characters`,
      { reason: 'scope_too_long' },
    )
  }
  if (!scopes.includes('openid')) {
    throw new InvalidScopeError('scope must include openid', { reason: 'scope_without_openid' })
  }
  const hasCode = parseResponseType(parameters.get('response_type') ?? '') === 'code'
  return scopes.filter((scope) => isKnownScope(scope) && (hasCode || scope !== 'offline_access'))
}

/**
 * RFC 7636 section 4.4.1; RFC 9700 section 2.1.1: public clients must send one for a code, and never `plain`. Where no
 * code is asked for there is nothing to challenge.
 */
export function readCodeChallenge(parameters: RequestParameters, client: Client): string | undefined {
  if (parseResponseType(parameters.get('response_type') ?? '') !== 'code') return undefined
  const challenge = parameters.get('code_challenge')
  const method = parameters.get('code_challenge_method')
  if (challenge === undefined) {
    if (method !== undefined) {
      throw new InvalidRequestError('code_challenge_method needs a code_challenge', {
        reason: 'code_challenge_missing',
      })
    }
    if (client.isPublic && !client.pkceOptional) {
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

/** Seconds since the last authentication that the client still accepts. */
export function readMaxAge(parameters: RequestParameters): number | undefined {
  const value = parameters.get('max_age')
  if (value === undefined) return undefined
  if (!/^\d{1,10}$/.test(value)) {
    throw new InvalidRequestError('max_age must be a number of seconds', { reason: 'max_age_malformed' })
  }
  return Number(value)
}

/** Never an error: a client may hint at anything. */
export function readLoginHint(parameters: RequestParameters): string {
  const value = parameters.get('login_hint') ?? ''
  return value.length > LOGIN_HINT_LIMIT ? '' : value
}
