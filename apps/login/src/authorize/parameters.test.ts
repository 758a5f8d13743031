import { expect, it } from 'vitest'
import { requestParameters } from './parameters.ts'

it('RFC 6749 section 3.1: a parameter without a value counts as not sent', () => {
  const parameters = requestParameters([['scope', '']])
  expect(parameters.has('scope')).toBe(false)
  expect(parameters.get('scope')).toBeUndefined()
  expect(parameters.repeated.size).toBe(0)
})

it('RFC 6749 section 3.1: a repeated parameter has no value, whichever was sent', () => {
  const parameters = requestParameters([
    ['state', 'a'],
    ['state', ''],
    ['scope', 'openid'],
  ])
  expect([...parameters.repeated]).toEqual(['state'])
  expect(parameters.get('state')).toBeUndefined()
  expect(parameters.pick(['state', 'scope', 'nonce'])).toEqual({ scope: 'openid' })
})

it('knows only what was sent', () => {
  expect(requestParameters([]).get('constructor')).toBeUndefined()
})
