import { describe, expect, it } from 'vitest'
import { parseClaimsParameter } from './claims-parameter.ts'
import { InvalidRequestError } from './errors.ts'

describe('OIDC Core section 5.5: the claims parameter', () => {
  it('names claims for userinfo and for the ID token, essential ones like others', () => {
    const text = JSON.stringify({
      userinfo: { name: { essential: true }, email: null },
      id_token: { auth_time: { essential: true }, acr: { values: ['a', 'b'] } },
    })
    expect(parseClaimsParameter(text)).toEqual({ userinfo: ['name', 'email'], idToken: ['auth_time', 'acr'] })
  })

  it.each(['{}', '{"other":["x"]}', '{"userinfo":null}'])('%s requests nothing', (text) => {
    expect(parseClaimsParameter(text)).toEqual({ userinfo: [], idToken: [] })
  })

  it.each(['', 'name', '[]', 'null', '"name"', '{"userinfo":["name"]}', '{"id_token":"name"}'])(
    '%j is invalid_request',
    (text) => {
      expect(() => parseClaimsParameter(text)).toThrow(InvalidRequestError)
    },
  )

  it('more than 1,000 characters are invalid_request', () => {
    const padded = (length: number) => `{"userinfo":{}}${' '.repeat(length - 15)}`
    expect(() => parseClaimsParameter(padded(1_000))).not.toThrow()
    expect(() => parseClaimsParameter(padded(1_001))).toThrow(InvalidRequestError)
  })
})
