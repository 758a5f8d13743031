import { expect, it } from 'vitest'
import { requestParameters } from './parameters.ts'

it('treats a parameter without a value as absent (RFC 6749 section 3.1)', () => {
  const parameters = requestParameters([['scope', '']])
  expect(parameters.has('scope')).toBe(false)
  expect(parameters.get('scope')).toBeUndefined()
  expect(parameters.repeated.size).toBe(0)
})

it('returns no value for a repeated parameter (RFC 6749 section 3.1)', () => {
  const parameters = requestParameters([
    ['state', 'a'],
    ['state', ''],
    ['scope', 'openid'],
  ])
  expect([...parameters.repeated]).toEqual(['state'])
  expect(parameters.get('state')).toBeUndefined()
  expect(parameters.pick(['state', 'scope', 'nonce'])).toEqual({ scope: 'openid' })
})

it('does not contain names of Object.prototype', () => {
  expect(requestParameters([]).get('constructor')).toBeUndefined()
})
