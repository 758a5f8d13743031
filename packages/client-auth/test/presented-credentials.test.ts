import { describe, expect, it } from 'vitest'
import { presentedCredentials } from '../src/presented-credentials.ts'

const JWT_BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const basic = (pair: string) => `Basic ${Buffer.from(pair, 'utf8').toString('base64')}`

describe('RFC 6749 section 2.3: the one set of credentials of a request', () => {
  it.each([
    [
      'client_secret_basic',
      { authorization: basic('web:s3cret'), body: {} },
      { clientId: 'web', secret: 's3cret' },
    ],
    [
      'client_secret_basic',
      { authorization: basic('web:s3cret'), body: { client_id: 'web' } },
      { clientId: 'web', secret: 's3cret' },
    ],
    [
      'client_secret_post',
      { body: { client_id: 'web', client_secret: 's3cret' } },
      { clientId: 'web', secret: 's3cret' },
    ],
    ['none', { body: { client_id: 'spa' } }, { clientId: 'spa' }],
    [
      'private_key_jwt',
      { body: { client_assertion: 'a.b.c', client_assertion_type: JWT_BEARER } },
      { assertion: 'a.b.c' },
    ],
    [
      'private_key_jwt',
      { body: { client_id: 'svc', client_assertion: 'a.b.c', client_assertion_type: JWT_BEARER } },
      { assertion: 'a.b.c', clientId: 'svc' },
    ],
  ] as const)('%s is read from %j', (method, request, rest) => {
    expect(presentedCredentials(request)).toEqual({ method, ...rest })
  })

  it.each([
    ['a colon in the secret', 'web:a:b', { clientId: 'web', secret: 'a:b' }],
    ['an encoded colon in the client_id', 'w%3Aeb:s', { clientId: 'w:eb', secret: 's' }],
    ['a plus for a space', 'web:a+b', { clientId: 'web', secret: 'a b' }],
    ['an encoded plus', 'web:a%2Bb', { clientId: 'web', secret: 'a+b' }],
    ['letters beyond ASCII', 'web:%C3%A9', { clientId: 'web', secret: 'é' }],
    ['an empty secret', 'web:', { clientId: 'web', secret: '' }],
  ])('RFC 6749 section 2.3.1: Basic with %s', (_, pair, expected) => {
    expect(presentedCredentials({ authorization: basic(pair), body: {} })).toMatchObject(expected)
  })

  it('RFC 9110 section 11.1: the scheme is read in any case', () => {
    const authorization = basic('web:s').replace('Basic', 'bASIC')
    expect(presentedCredentials({ authorization, body: {} })).toMatchObject({ clientId: 'web' })
  })

  it.each([
    [
      'Basic and client_secret',
      { authorization: basic('web:s'), body: { client_id: 'web', client_secret: 's' } },
    ],
    [
      'Basic and an assertion',
      { authorization: basic('web:s'), body: { client_assertion: 'a', client_assertion_type: JWT_BEARER } },
    ],
    [
      'client_secret and an assertion',
      { body: { client_secret: 's', client_assertion: 'a', client_assertion_type: JWT_BEARER } },
    ],
    [
      'Basic and only the type of an assertion',
      { authorization: basic('web:s'), body: { client_assertion_type: 'x' } },
    ],
    ['Basic and another client_id', { authorization: basic('web:s'), body: { client_id: 'spa' } }],
    ['an assertion of another type', { body: { client_assertion: 'a', client_assertion_type: 'urn:x' } }],
    ['an assertion without a type', { body: { client_assertion: 'a' } }],
    ['a type without an assertion', { body: { client_assertion_type: JWT_BEARER } }],
  ])('%s is invalid_request [F-10]', (_, request) => {
    expect(() => presentedCredentials(request)).toThrow(expect.objectContaining({ code: 'invalid_request' }))
  })

  it.each([
    ['nothing', { body: {} }, false],
    ['a client_secret alone', { body: { client_secret: 's' } }, false],
    ['Bearer', { authorization: 'Bearer abc', body: {} }, true],
    ['Basic without a colon', { authorization: basic('web'), body: {} }, true],
    ['Basic without a client_id', { authorization: basic(':s'), body: {} }, true],
    ['Basic that is not base64', { authorization: 'Basic ***', body: {} }, true],
    ['Basic with broken encoding', { authorization: basic('web:%zz'), body: {} }, true],
    ['an empty header', { authorization: '', body: { client_id: 'web' } }, true],
  ])('%s is invalid_client, with a challenge only when the header was tried', (_, request, challenged) => {
    const error = catchError(() => presentedCredentials(request))
    expect(error).toMatchObject({ code: 'invalid_client', status: 401 })
    expect(Object.keys(error.headers)).toEqual(challenged ? ['WWW-Authenticate'] : [])
  })
})

function catchError(work: () => unknown): { readonly headers: Record<string, string> } {
  try {
    work()
  } catch (error) {
    return error as { readonly headers: Record<string, string> }
  }
  throw new Error('nothing was thrown')
}
