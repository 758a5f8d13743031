import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  InsufficientScopeError,
  InvalidClientError,
  InvalidGrantError,
  InvalidRequestError,
  InvalidTokenError,
  ServerError,
  TemporarilyUnavailableError,
} from './errors.ts'

describe('OAuth errors', () => {
  it('RFC 6749 section 5.2: the body has the code and the public text only', () => {
    const error = new InvalidGrantError('The code is not valid', {
      reason: 'code_replayed',
      cause: new Error('row 7'),
    })
    expect(error.status).toBe(400)
    expect(error.toResponseBody()).toEqual({
      error: 'invalid_grant',
      error_description: 'The code is not valid',
    })
    expect(JSON.stringify(error.toResponseBody())).not.toMatch(/code_replayed|row 7/)
  })

  it('RFC 6749 section 5.2: a description keeps to the characters that are allowed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const { message } = new InvalidRequestError(text, { reason: 'any' })
        expect(message).toMatch(/^[\x20\x21\x23-\x5B\x5D-\x7E]*$/)
      }),
    )
  })

  it('RFC 6749 section 5.2: invalid_client is 401, with a Basic challenge only when Basic was tried', () => {
    const tried = new InvalidClientError('Wrong secret', { reason: 'secret', basicTried: true })
    expect(tried.status).toBe(401)
    expect(tried.headers).toEqual({ 'WWW-Authenticate': 'Basic realm="signet", charset="UTF-8"' })
    expect(new InvalidClientError('Wrong secret', { reason: 'secret', basicTried: false }).headers).toEqual(
      {},
    )
  })

  it('bearer challenges name the error, but not for a request without a token (RFC 6750 section 3)', () => {
    const bad = new InvalidTokenError('The token has expired', { reason: 'expired', tokenGiven: true })
    expect(bad.status).toBe(401)
    expect(bad.headers['WWW-Authenticate']).toBe(
      'Bearer realm="signet", error="invalid_token", error_description="The token has expired"',
    )
    const none = new InvalidTokenError('A token is needed', { reason: 'missing', tokenGiven: false })
    expect(none.headers['WWW-Authenticate']).toBe('Bearer realm="signet"')
    const narrow = new InsufficientScopeError('Needs openid', { reason: 'scope', scope: 'openid' })
    expect(narrow.status).toBe(403)
    expect(narrow.headers['WWW-Authenticate']).toContain('error="insufficient_scope"')
    expect(narrow.headers['WWW-Authenticate']).toContain('scope="openid"')
  })

  it('hides the cause of server errors and sends Retry-After', () => {
    const fault = new ServerError({
      reason: 'unexpected',
      cause: new Error('relation "grant" does not exist'),
    })
    expect(fault.status).toBe(500)
    expect(JSON.stringify(fault.toResponseBody())).not.toContain('relation')
    const away = new TemporarilyUnavailableError('Try again', { reason: 'redis', retryAfterSeconds: 3 })
    expect([away.status, away.headers]).toEqual([503, { 'Retry-After': '3' }])
  })
})
