import { createHmac, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { SIGNING_ALGORITHMS, type SigningAlgorithm } from '@signet/protocol/signing-algorithms'
import { SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { createJwsVerifier, looksLikeJws } from './verify-jws.ts'

const PAIRS: Readonly<Record<SigningAlgorithm, { publicKey: KeyObject; privateKey: KeyObject }>> = {
  RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: generateKeyPairSync('ed25519'),
}
const verifyJws = createJwsVerifier({
  find: async (kid, alg) => (kid === `key-${alg}` ? PAIRS[alg].publicKey : undefined),
})
const signed = (alg: SigningAlgorithm, header: object = {}) =>
  new SignJWT({ sub: 'alice' })
    .setProtectedHeader({ alg, kid: `key-${alg}`, typ: 'at+jwt', ...header })
    .sign(PAIRS[alg].privateKey)
const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

describe('verifying a JWT of our own [F-26]', () => {
  it.each(SIGNING_ALGORITHMS)('%s, signed by an independent implementation', async (alg) => {
    const jws = await signed(alg)
    expect(looksLikeJws(jws)).toBe(true)
    expect(await verifyJws(jws, 'at+jwt')).toEqual({ kid: `key-${alg}`, claims: { sub: 'alice' } })
  })

  it('another typ is another kind of token [F-25]', async () => {
    expect(await verifyJws(await signed('RS256'), 'JWT')).toBeUndefined()
    expect(await verifyJws(await signed('RS256', { typ: undefined }), 'at+jwt')).toBeUndefined()
  })

  it('a changed payload, signature or key id is refused', async () => {
    const [header, , signature] = (await signed('ES256')).split('.')
    expect(await verifyJws(`${header}.${base64url({ sub: 'bob' })}.${signature}`, 'at+jwt')).toBeUndefined()
    const jws = await signed('ES256')
    expect(await verifyJws(`${jws}=`, 'at+jwt')).toBeUndefined()
    expect(await verifyJws(`${jws}.x`, 'at+jwt')).toBeUndefined()
    expect(await verifyJws(await signed('ES256', { kid: 'key-RS256' }), 'at+jwt')).toBeUndefined()
    expect(await verifyJws(await signed('ES256', { kid: 'unknown' }), 'at+jwt')).toBeUndefined()
  })

  it('none, HMAC under the public key, and a key that the token brings along are refused', async () => {
    const claims = base64url({ sub: 'mallory' })
    const none = base64url({ alg: 'none', kid: 'key-RS256', typ: 'at+jwt' })
    expect(await verifyJws(`${none}.${claims}.`, 'at+jwt')).toBeUndefined()
    const hmac = base64url({ alg: 'HS256', kid: 'key-RS256', typ: 'at+jwt' })
    const pem = PAIRS.RS256.publicKey.export({ type: 'spki', format: 'pem' })
    const mac = createHmac('sha256', pem).update(`${hmac}.${claims}`).digest('base64url')
    expect(await verifyJws(`${hmac}.${claims}.${mac}`, 'at+jwt')).toBeUndefined()
    const own = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const embedded = await new SignJWT({ sub: 'mallory' })
      .setProtectedHeader({
        alg: 'ES256',
        kid: 'mine',
        typ: 'at+jwt',
        jwk: own.publicKey.export({ format: 'jwk' }) as { kty: string },
      })
      .sign(own.privateKey)
    expect(await verifyJws(embedded, 'at+jwt')).toBeUndefined()
  })

  it.each(['', '.', '..', 'a.b.c', `${base64url([])}.e30.x`, `${base64url({ typ: 'JWT' })}.e30.x`])(
    '%j is none',
    async (text) => {
      expect(looksLikeJws(text)).toBe(false)
      expect(await verifyJws(text, 'at+jwt')).toBeUndefined()
    },
  )
})
