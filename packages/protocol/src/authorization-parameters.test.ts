import { describe, expect, it } from 'vitest'
import { parsePrompt, parseResponseType, responseFormFor } from './authorization-parameters.ts'
import { InvalidRequestError } from './errors.ts'

describe('response types and modes', () => {
  it('RFC 6749 section 3.1.1: the order of the words does not matter', () => {
    expect(parseResponseType('token id_token')).toBe('id_token token')
    expect(parseResponseType('id_token token')).toBe('id_token token')
    expect(parseResponseType('code')).toBe('code')
  })

  it('rejects hybrid types, `token` alone and repeated values', () => {
    for (const value of ['token', 'code id_token', 'code code', 'none', 'CODE', '']) {
      expect(parseResponseType(value)).toBeUndefined()
    }
  })

  const form = (...request: Parameters<typeof responseFormFor>) => {
    const { responseMode, isSigned } = responseFormFor(...request)
    return isSigned ? `${responseMode}, signed` : responseMode
  }

  it('each type has its own mode unless another is requested (OAuth 2.0 Multiple Response Types section 2.1)', () => {
    expect(form('code')).toBe('query')
    expect(form('code', 'form_post')).toBe('form_post')
    expect(form('code', 'fragment')).toBe('fragment')
    for (const unknown of ['pigeon', 'pigeon.jwt', '.jwt', 'jwt.jwt', 'JWT'])
      expect(form('code', unknown)).toBe('query')
    expect(form('id_token')).toBe('fragment')
  })

  it('JARM section 2.3: each mode has a signed one, and jwt is that of the type', () => {
    expect(form('code', 'jwt')).toBe('query, signed')
    expect(form('id_token', 'jwt')).toBe('fragment, signed')
    for (const mode of ['query', 'fragment', 'form_post'])
      expect(form('code', `${mode}.jwt`)).toBe(`${mode}, signed`)
  })

  it('never puts a token into a query string', () => {
    expect(form('id_token', 'query')).toBe('fragment')
    expect(form('id_token token', 'query')).toBe('fragment')
    expect(form('id_token', 'query.jwt')).toBe('fragment, signed')
  })
})

describe('prompt', () => {
  it('OIDC Core section 3.1.2.1: is a list of known values', () => {
    expect([...parsePrompt('login consent')]).toEqual(['login', 'consent'])
    expect(parsePrompt(undefined).size).toBe(0)
    expect(() => parsePrompt('login please')).toThrow(InvalidRequestError)
  })

  it('OIDC Core section 3.1.2.1: none stands alone', () => {
    expect([...parsePrompt('none')]).toEqual(['none'])
    expect(() => parsePrompt('none login')).toThrow(InvalidRequestError)
  })
})
