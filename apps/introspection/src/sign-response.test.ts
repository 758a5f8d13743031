import { expect, it } from 'vitest'
import { wantsSignedResponse } from './sign-response.ts'

const JWT = 'application/token-introspection+jwt'

it.each([
  [JWT, true],
  ['Application/Token-Introspection+JWT', true],
  [`${JWT};q=0.5`, true],
  [`application/json;q=0.9, ${JWT}`, true],
  [`application/json, ${JWT}`, true],
  [`*/*, ${JWT}`, true],
  [undefined, false],
  ['*/*', false],
  ['application/*', false],
  ['application/json', false],
  [`${JWT};q=0`, false],
  [`${JWT};q=nothing`, false],
  [`application/json, ${JWT};q=0.5`, false],
  [`x${JWT}`, false],
])('Accept: %s', (accept, expected) => {
  expect(wantsSignedResponse(accept)).toBe(expected)
})
