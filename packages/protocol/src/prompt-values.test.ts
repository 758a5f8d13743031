import { describe, expect, it } from 'vitest'
import { parsePrompt } from './authorization-parameters.ts'
import { InvalidRequestError } from './errors.ts'

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
