import { generateKeySync, type KeyObject, randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import {
  type AccessToken,
  hasOrigin,
  readAccessToken,
  revocationKeysOf,
  sealAccessToken,
} from './access-token.ts'
import { ACCESS_TOKEN_SEAL, createOpener, createSealer } from './sealed-token.ts'

const sealing = { kid: 's1', key: generateKeySync('hmac', { length: 256 }) }
const origin = generateKeySync('hmac', { length: 256 })
const token: AccessToken = {
  id: 'jti-1',
  subject: 'alice',
  clientId: 'web',
  audience: ['web', 'portal'],
  scope: 'openid profile',
  issuedAt: 1_800_000_000,
  expiresAt: 1_800_003_600,
  sid: 'sid-1',
  grantId: 'grant-1',
  user: { id: 'alice', epoch: 3 },
  client: { id: 'web', epoch: 1 },
  organizations: [{ id: 'acme', epoch: 2 }],
}

function sealAndOpen(originKey: KeyObject) {
  const value = sealAccessToken(token, createSealer(ACCESS_TOKEN_SEAL, sealing, randomBytes), originKey)
  const opened = createOpener(ACCESS_TOKEN_SEAL, () => sealing.key).open(value)
  if (opened === undefined) throw new Error('the token did not open')
  return opened
}

it('an access token survives sealing', () => {
  expect(readAccessToken(sealAndOpen(origin).plaintext)).toEqual(token)
})

it('only the holder of the origin key can make a token that has the origin', () => {
  expect(hasOrigin(sealAndOpen(origin).plaintext, [generateKeySync('hmac', { length: 256 }), origin])).toBe(
    true,
  )
  expect(hasOrigin(sealAndOpen(generateKeySync('hmac', { length: 256 })).plaintext, [origin])).toBe(false)
})

it('names every member of a token by which it can be revoked', () => {
  expect(revocationKeysOf({ ...token, generation: 7 }, 's1')).toEqual({
    generation: 7,
    tokenId: 'jti-1',
    grantId: 'grant-1',
    sid: 'sid-1',
    kid: 's1',
    user: token.user,
    client: token.client,
    organizations: token.organizations,
  })
})
