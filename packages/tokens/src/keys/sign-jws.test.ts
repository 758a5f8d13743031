import { generateKeyPairSync, verify } from 'node:crypto'
import { compactVerify } from 'jose'
import { describe, expect, it } from 'vitest'
import { signJws, signOnThread } from './sign-jws.ts'

const pairs = {
  RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: generateKeyPairSync('ed25519'),
}

describe('signJws', () => {
  it.each(['RS256', 'ES256', 'EdDSA'] as const)('RFC 7515 section 3.1: jose verifies %s', async (alg) => {
    const { privateKey, publicKey } = pairs[alg]
    const jws = await signJws({ kid: 'k1', alg, privateKey }, 'at+jwt', { sub: 'älice' })
    const { payload, protectedHeader } = await compactVerify(jws, publicKey, { algorithms: [alg] })
    expect(protectedHeader).toEqual({ alg, kid: 'k1', typ: 'at+jwt' })
    expect(JSON.parse(new TextDecoder().decode(payload))).toEqual({ sub: 'älice' })
  })

  it('RFC 7518 section 3.4: short numbers of an ES256 signature are padded', async () => {
    // One in 128 signatures has a number with a leading zero byte; some hundred show each shape of DER.
    const { privateKey, publicKey } = pairs.ES256
    const all = Array.from({ length: 600 }, (_, n) =>
      signJws({ kid: 'k1', alg: 'ES256', privateKey }, 'JWT', { n }),
    )
    for (const jws of await Promise.all(all)) {
      expect(Buffer.from(jws.split('.')[2] ?? '', 'base64url')).toHaveLength(64)
      await expect(compactVerify(jws, publicKey)).resolves.toBeDefined()
    }
  })
})

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })

describe('signOnThread', () => {
  it('gives each its own signature', async () => {
    const inputs = Array.from({ length: 40 }, (_, n) => Buffer.from(`input ${n}`))
    const signatures = await Promise.all(inputs.map((input) => signOnThread('sha256', input, privateKey)))
    for (const [n, signature] of signatures.entries()) {
      expect(verify('sha256', inputs[n] ?? Buffer.of(), publicKey, signature)).toBe(true)
    }
  })

  it('a signature that fails does not affect others', async () => {
    const input = Buffer.from('input')
    const [good, bad, last] = await Promise.allSettled([
      signOnThread('sha256', input, privateKey),
      signOnThread('no such digest', input, privateKey),
      signOnThread('sha256', input, privateKey),
    ])
    expect([good.status, bad.status, last.status]).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  })
})
