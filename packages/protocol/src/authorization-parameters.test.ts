import { describe, expect, it } from 'vitest'
import { parsePrompt, parseResponseType, responseModeFor } from './authorization-parameters.ts'
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

  it('each type has its own mode unless another is requested (OAuth 2.0 Multiple Response Types section 2.1)', () => {
    expect(responseModeFor('code', undefined)).toBe('query')
    expect(responseModeFor('code', 'form_post')).toBe('form_post')
    expect(responseModeFor('code', 'fragment')).toBe('fragment')
    expect(responseModeFor('code', 'pigeon')).toBe('query')
    expect(responseModeFor('id_token', undefined)).toBe('fragment')
  })

  it('never puts a token into a query string', () => {
    expect(responseModeFor('id_token', 'query')).toBe('fragment')
    expect(responseModeFor('id_token token', 'query')).toBe('fragment')
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
