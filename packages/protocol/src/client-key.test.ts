import { createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { isPrivateKey, readClientKey } from './client-key.ts'

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
const ed = generateKeyPairSync('ed25519').privateKey
const otherRsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
const otherEc = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey
const jwkOf = (key: KeyObject) => key.export({ format: 'jwk' })
const pemOf = (key: KeyObject, type: 'pkcs8' | 'sec1' | 'pkcs1' = 'pkcs8') =>
  key.export({ format: 'pem', type } as never) as unknown as string

describe('a private key of a client', () => {
  it.each([
    ['an RSA JWK', JSON.stringify(jwkOf(rsa)), 'RS256', rsa],
    ['an RSA JWK for PS256', JSON.stringify({ ...jwkOf(rsa), alg: 'PS256', use: 'sig' }), 'PS256', rsa],
    ['PEM of PKCS#1', pemOf(rsa, 'pkcs1'), 'RS256', rsa],
    ['an EC JWK', JSON.stringify(jwkOf(ec)), 'ES256', ec],
    ['PEM of SEC 1', pemOf(ec, 'sec1'), 'ES256', ec],
    ['PEM in one line', pemOf(ec).replaceAll('\n', ''), 'ES256', ec],
    ['an OKP JWK', JSON.stringify(jwkOf(ed)), 'EdDSA', ed],
    ['PEM of PKCS#8', pemOf(ed), 'EdDSA', ed],
  ])('is read from %s', (_, text, alg, key) => {
    const read = readClientKey(text)
    if ('problem' in read) throw new Error(read.problem)
    expect(read.alg).toBe(alg)
    expect(read.publicJwk).toMatchObject({ alg, use: 'sig', kid: read.kid })
    expect(Object.keys(read.publicJwk)).not.toEqual(expect.arrayContaining(['d']))
    for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi']) expect(read.publicJwk).not.toHaveProperty(secret)
    const digest = key === ed ? null : 'sha256'
    const signature = sign(digest, Buffer.from('text'), read.key)
    const publicKey = createPublicKey({ key: read.publicJwk, format: 'jwk' })
    expect(verify(digest, Buffer.from('text'), publicKey, signature)).toBe(true)
  })

  it('keeps its kid, and is named by its thumbprint without one', () => {
    const named = readClientKey(JSON.stringify({ ...jwkOf(ec), kid: 'mine' }))
    expect(named).toMatchObject({ kid: 'mine', publicJwk: { kid: 'mine' } })
    const unnamed = readClientKey(pemOf(ec))
    expect(unnamed).toMatchObject({ kid: expect.stringMatching(/^[\w-]{43}$/) })
    expect(readClientKey(JSON.stringify(jwkOf(ec)))).toMatchObject({ kid: 'kid' in unnamed && unnamed.kid })
  })

  it.each([
    ['a secret', 'a-secret', 'must be a private key'],
    ['a public JWK', JSON.stringify(createPublicKey(ec).export({ format: 'jwk' })), 'must be a private key'],
    ['public PEM', createPublicKey(ec).export({ format: 'pem', type: 'spki' }), 'must be a private key'],
    [
      'encrypted PEM',
      ec.export({ format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: 'x' }),
      'must be a private key',
    ],
    ['a symmetric key', '{"kty":"oct","k":"AAAA","d":"AAAA"}', 'must be a readable private key'],
    ['a list', '[]', 'must be a private key'],
    ['a number', '7', 'must be a private key'],
    ['half a key', JSON.stringify({ ...jwkOf(ec), x: undefined }), 'must be a readable private key'],
    [
      'a small RSA key',
      pemOf(generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey),
      'must have 2048 to 4096 bits',
    ],
    ['a key of P-384', pemOf(p384), 'must be on the curve P-256'],
    ['a key of X25519', pemOf(generateKeyPairSync('x25519').privateKey), 'must be an RSA, P-256 or Ed25519'],
    ['alg of another type', JSON.stringify({ ...jwkOf(ec), alg: 'RS256' }), 'has an alg that is not'],
    ['alg none', JSON.stringify({ ...jwkOf(ec), alg: 'none' }), 'has an alg that is not'],
    ['alg of a secret', JSON.stringify({ ...jwkOf(rsa), alg: 'HS256' }), 'has an alg that is not'],
    ['a key for encryption', JSON.stringify({ ...jwkOf(rsa), use: 'enc' }), 'has a use other than sig'],
    ['other key_ops', JSON.stringify({ ...jwkOf(rsa), key_ops: ['decrypt'] }), 'sign in key_ops'],
    [
      'an EC JWK of two keys',
      JSON.stringify({ ...jwkOf(otherEc), d: jwkOf(ec).d }),
      'public members are those',
    ],
    [
      'an RSA JWK of two keys',
      JSON.stringify({ ...jwkOf(rsa), n: jwkOf(otherRsa).n }),
      'public members are those',
    ],
    ['a kid that is no text', JSON.stringify({ ...jwkOf(ec), kid: 7 }), 'whose kid has'],
    ['a kid with a line break', JSON.stringify({ ...jwkOf(ec), kid: 'a\nb' }), 'whose kid has'],
  ])('is not read from %s', (_, text, rule) => {
    const read = readClientKey(String(text))
    expect('problem' in read && read.problem).toContain(rule)
    if ('problem' in read) expect(read.problem).not.toContain('a-secret')
  })

  it.each([
    ['a key that signs', pemOf(ec), true],
    ['a key of P-384 in one line', pemOf(p384).replaceAll('\n', ''), true],
    ['a JWK of P-384', JSON.stringify(jwkOf(p384)), true],
    [
      'an encrypted key',
      '-----BEGIN ENCRYPTED PRIVATE KEY-----MIIB-----END ENCRYPTED PRIVATE KEY-----',
      true,
    ],
    ['a secret', 'a-secret', false],
    ['a public key', JSON.stringify(createPublicKey(ec).export({ format: 'jwk' })), false],
  ])('is known as a private key or as none: %s', (_, text, expected) => {
    expect(isPrivateKey(text)).toBe(expected)
  })
})
