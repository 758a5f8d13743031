import { createPrivateKey, createPublicKey, type JsonWebKey } from 'node:crypto'
import { calculateJwkThumbprint } from 'jose'
import { describe, expect, it } from 'vitest'
import { makeKey } from './key-material.ts'

describe('makeKey', () => {
  it.each(['RS256', 'ES256', 'EdDSA'] as const)(
    'RFC 7638: %s keys are named by their thumbprint',
    async (alg) => {
      const { kid, secret, publicJwk } = await makeKey(alg)
      const jwk: JsonWebKey & { kty: string } = JSON.parse(JSON.stringify(publicJwk))
      expect(kid).toBe(await calculateJwkThumbprint(jwk))
      const derived = createPublicKey(createPrivateKey({ key: secret, format: 'der', type: 'pkcs8' }))
      expect(derived.equals(createPublicKey({ key: jwk, format: 'jwk' }))).toBe(true)
    },
  )

  it('the public half has public members only [F-27]', async () => {
    const { publicJwk } = await makeKey('RS256')
    expect(Object.keys(publicJwk ?? {}).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use'])
    expect(Buffer.from(publicJwk?.n ?? '', 'base64url')).toHaveLength(256)
  })

  it('symmetric keys are 256 random bits whose id contains no separator of a token', async () => {
    const { kid, secret, publicJwk } = await makeKey('A256GCM')
    expect(secret).toHaveLength(32)
    expect(kid).toMatch(/^[A-Za-z0-9_-]{16}$/)
    expect(publicJwk).toBeUndefined()
  })

  it('does not hold up the event loop while an RSA key is made', async () => {
    let turns = 0
    const count = setInterval(() => (turns += 1), 1)
    await Promise.all(Array.from({ length: 8 }, () => makeKey('RS256')))
    clearInterval(count)
    expect(turns).toBeGreaterThan(2)
  })
})
