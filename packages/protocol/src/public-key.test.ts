import { generateKeyPairSync, type JsonWebKey } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { readPublicJwk, readPublicPem, verifiesWith } from './public-key.ts'

const rsa = (modulusLength: number, publicExponent = 65_537) =>
  generateKeyPairSync('rsa', { modulusLength, publicExponent }).publicKey.export({ format: 'jwk' })
const ec = (namedCurve: string) =>
  generateKeyPairSync('ec', { namedCurve }).publicKey.export({ format: 'jwk' })
const okp = (hex: string): JsonWebKey => ({
  kty: 'OKP',
  crv: 'Ed25519',
  x: Buffer.from(hex, 'hex').toString('base64url'),
})
const RSA = rsa(2048)
const EC = ec('P-256')
const ED25519 = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })

describe('registered public keys', () => {
  it.each([
    ['RSA of 2,048 bits', RSA],
    ['RSA of 4,096 bits', { ...RSA, n: modulusOf(4096) }],
    ['P-256', EC],
    ['Ed25519', ED25519],
    ['alg, use and key_ops', { ...RSA, alg: 'PS256', use: 'sig', key_ops: ['verify'] }],
    ['alg EdDSA', { ...ED25519, alg: 'EdDSA' }],
  ])('keeps the members of %s', (_, jwk) => {
    expect(readPublicJwk(jwk)).toEqual({ jwk })
  })

  it('drops members that are not of a public key', () => {
    expect(readPublicJwk({ ...EC, kid: 'other', x5u: '…' })).toEqual({ jwk: EC })
  })

  it.each<[string, Readonly<Record<string, unknown>>, string]>([
    ['RSA of 2,047 bits', { ...RSA, n: modulusOf(2047) }, '2048 to 4096 bits'],
    ['RSA of 4,097 bits', { ...RSA, n: modulusOf(4097) }, '2048 to 4096 bits'],
    ['RSA of 16,384 bits', { ...RSA, n: modulusOf(16_384) }, '2048 to 4096 bits'],
    ['RSA with exponent 1', { ...RSA, e: 'AQ' }, 'odd public exponent'],
    ['RSA with exponent 3', { ...RSA, e: 'Aw' }, 'odd public exponent'],
    ['RSA with exponent 65,536', { ...RSA, e: 'AQAA' }, 'odd public exponent'],
    ['RSA with exponent 65,538', { ...RSA, e: 'AQAC' }, 'odd public exponent'],
    ['P-384', ec('P-384'), 'P-256'],
    ['secp256k1', ec('secp256k1'), 'P-256'],
    ['Ed448', generateKeyPairSync('ed448').publicKey.export({ format: 'jwk' }), 'Ed25519'],
    ['X25519', generateKeyPairSync('x25519').publicKey.export({ format: 'jwk' }), 'Ed25519'],
    ['the neutral element of Ed25519', okp(`01${'00'.repeat(31)}`), 'small order'],
    ['zero on Ed25519, with the sign bit', okp(`${'00'.repeat(31)}80`), 'small order'],
    ['a symmetric key', { kty: 'oct', k: 'AAAA' }, 'readable'],
    ['a private key', { ...EC, d: 'AAAA' }, 'public half'],
    ['a point that is not on the curve', { ...EC, x: EC.y }, 'readable'],
    ['no key', {}, 'readable'],
    ['RSA for encryption', { ...RSA, use: 'enc' }, 'use'],
    ['RSA for wrapping', { ...RSA, key_ops: ['wrapKey'] }, 'key_ops'],
    ['key_ops that is text', { ...RSA, key_ops: 'verify' }, 'key_ops'],
    ['RSA for RS512', { ...RSA, alg: 'RS512' }, 'alg'],
    ['RSA for ES256', { ...RSA, alg: 'ES256' }, 'alg'],
    ['P-256 for EdDSA', { ...EC, alg: 'EdDSA' }, 'alg'],
    ['an alg that is null', { ...EC, alg: null }, 'alg'],
  ])('refuses %s', (_, jwk, problem) => {
    expect(readPublicJwk(jwk)).toEqual({ problem: expect.stringContaining(problem) })
    expect(verifiesWith(jwk, 'RS256') || verifiesWith(jwk, 'ES256') || verifiesWith(jwk, 'EdDSA')).toBe(false)
  })

  it('reads PEM texts under the same rules', () => {
    const pem = (modulusLength: number) =>
      generateKeyPairSync('rsa', { modulusLength })
        .publicKey.export({ type: 'spki', format: 'pem' })
        .toString()
    expect(readPublicPem(pem(2048))).toEqual({ jwk: expect.objectContaining({ kty: 'RSA', e: 'AQAB' }) })
    expect(readPublicPem(pem(1024))).toEqual({ problem: 'must have 2048 to 4096 bits' })
    expect(readPublicPem('text')).toEqual({ problem: 'is not a readable public key' })
  })

  it.each([
    ['RS256', RSA, ['RS256', 'PS256']],
    ['RS256 only, as registered', { ...RSA, alg: 'RS256' }, ['RS256']],
    ['ES256', EC, ['ES256']],
    ['EdDSA', ED25519, ['EdDSA']],
  ] as const)('RFC 8725 section 3.1: verifies with %s', (_, jwk, algorithms) => {
    const all = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const
    expect(all.filter((alg) => verifiesWith({ ...jwk }, alg))).toEqual(algorithms)
  })
})

/** Returns an odd number of this length. Its factors do not matter. */
function modulusOf(bits: number): string {
  const value = (1n << BigInt(bits - 1)) | 1n
  const hex = value.toString(16)
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex').toString('base64url')
}
