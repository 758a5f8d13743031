import { ACR_PASSWORD } from '@signet/protocol/authorization-parameters'
import { expect, it } from 'vitest'
import { readClaimsRequest } from './requested-claims.ts'

const read = (claims: unknown) => readClaimsRequest(JSON.stringify(claims))

it('keeps the text and names no user (OIDC Core section 5.5)', () => {
  for (const claims of [{}, { id_token: null }, { userinfo: { name: { essential: true } } }, { other: 1 }]) {
    const revealedBy = 'userinfo' in claims && claims.userinfo?.name ? ['profile'] : []
    expect(read(claims)).toEqual({
      ...{ text: JSON.stringify(claims), revealedBy, subject: undefined },
      ...{ acrValues: undefined, acrIsEssential: false },
    })
  }
  expect(read({ id_token: { sub: null, acr: null } }).subject).toBeUndefined()
  expect(read({ id_token: { sub: { value: 7 } } }).subject).toBeUndefined()
})

it('reads the user from the value of sub (OIDC Core section 5.5.1)', () => {
  expect(read({ id_token: { sub: { value: 'user1' } } }).subject).toBe('user1')
  expect(read({ userinfo: { sub: { value: 'user1', essential: true } } }).subject).toBe('user1')
})

it('refuses an unsupported essential acr and ignores a voluntary one (OIDC Core section 5.5.1.1)', () => {
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
