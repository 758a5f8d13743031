// Rules that a request may break whatever else it says. Each throws OAuthError.
import {
  InvalidRequestError,
  RequestNotSupportedError,
  RequestUriNotSupportedError,
} from '@signet/oauth-protocol/errors'
import type { RequestParameters } from '../authorize/parameters.ts'
import { knownParameters } from './known-parameters.ts'
import { NONCE_LIMIT, REQUEST_BYTES_LIMIT, STATE_LIMIT } from './limits.ts'

/** RFC 6749 section 3.1: parameters must not be repeated. */
export function refuseRepeated(parameters: RequestParameters): void {
  if (parameters.repeated.size === 0) return
  throw new InvalidRequestError('A parameter was sent more than once', { reason: 'parameter_repeated' })
}

/** PostgreSQL cannot store U+0000, and no parameter has a use for it. */
export function refuseZeroCharacters(parameters: RequestParameters): void {
  if (parameters.withZeroCharacter.size === 0) return
  throw new InvalidRequestError('A parameter holds a zero character', { reason: 'parameter_zero_character' })
}

/** OIDC Core section 6: request objects are not supported, and say so only to a proven redirect URI. */
export function refuseRequestObjects(parameters: RequestParameters): void {
  if (parameters.has('request')) {
    throw new RequestNotSupportedError('Send the parameters themselves instead of a request object', {
      reason: 'request_object',
    })
  }
  if (parameters.has('request_uri')) {
    throw new RequestUriNotSupportedError('Send the parameters themselves instead of a request_uri', {
      reason: 'request_uri',
    })
  }
}

const LIMITS = { state: STATE_LIMIT, nonce: NONCE_LIMIT } as const

/** A request that waits for a person is stored before that person is known: its size is bounded. */
export function refuseTooManyBytes(parameters: RequestParameters): void {
  if (Buffer.byteLength(JSON.stringify(knownParameters(parameters))) <= REQUEST_BYTES_LIMIT) return
  throw new InvalidRequestError(`The parameters together may have at most ${REQUEST_BYTES_LIMIT} bytes`, {
    reason: 'parameters_too_long',
  })
}

/** Values that would not fit what carries them. */
export function refuseLongValues(parameters: RequestParameters): void {
  for (const [name, limit] of Object.entries(LIMITS)) {
    if ((parameters.get(name)?.length ?? 0) > limit) {
      throw new InvalidRequestError(`${name} may have at most ${limit} characters`, {
        reason: `${name}_too_long`,
      })
    }
  }
}
