// Rules that a request may break whatever else it says. Each throws OAuthError.
import {
  InvalidRequestError,
  RequestNotSupportedError,
  RequestUriNotSupportedError,
} from '@signet/oauth-protocol/errors'
import { NONCE_LIMIT, STATE_LIMIT } from './limits.ts'
import type { RequestParameters } from './parameters.ts'

/** RFC 6749 section 3.1: parameters must not be repeated. */
export function refuseRepeated(parameters: RequestParameters): void {
  if (parameters.repeated.size === 0) return
  throw new InvalidRequestError('A parameter was sent more than once', { reason: 'parameter_repeated' })
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
