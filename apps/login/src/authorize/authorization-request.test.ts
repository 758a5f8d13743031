import { ACR_PASSWORD } from '@signet/protocol/acr-values'
import { expect, it } from 'vitest'
import { readClaimsRequest } from './authorization-request.ts'

const read = (claims: unknown) => readClaimsRequest(JSON.stringify(claims))

it('OIDC Core section 5.5: keeps the text, and asks for nobody in particular', () => {
  for (const claims of [{}, { id_token: null }, { userinfo: { name: { essential: true } } }, { other: 1 }]) {
    const revealedBy = 'userinfo' in claims && claims.userinfo?.name ? ['profile'] : []
    expect(read(claims)).toEqual({ text: JSON.stringify(claims), revealedBy, subject: undefined })
  }
  expect(read({ id_token: { sub: null, acr: null } }).subject).toBeUndefined()
  expect(read({ id_token: { sub: { value: 7 } } }).subject).toBeUndefined()
})

it('OIDC Core section 5.5.1: a value of sub names the only person who may be answered for', () => {
  expect(read({ id_token: { sub: { value: 'alice' } } }).subject).toBe('alice')
  expect(read({ userinfo: { sub: { value: 'alice', essential: true } } }).subject).toBe('alice')
})

it('OIDC Core section 5.5.1.1: an essential acr that nobody reaches is a failed sign-in, a voluntary one is not', () => {
  expect(() => read({ id_token: { acr: { essential: true, values: ['x', 'y'] } } })).toThrow(/acr/)
  expect(() => read({ id_token: { acr: { essential: true, value: 'x' } } })).toThrow(/acr/)
  for (const acr of [
    { essential: true },
    { essential: true, values: ['x', ACR_PASSWORD] },
    { essential: true, value: ACR_PASSWORD },
    { values: ['x'] },
  ]) {
    expect(read({ id_token: { acr } }).subject).toBeUndefined()
  }
})

it.each(['', 'x', '[]', 'null', '"x"', '{"id_token":[]}', '{"userinfo":1}', `{"x":"${'y'.repeat(1000)}"}`])(
  'refuses %j',
  (text) => {
    expect(() => readClaimsRequest(text)).toThrow(/^claims/)
  },
)
