import { createHash, randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import { createVerifyProof, ProofRefusal } from './proof.ts'

const NOW = new Date('2026-03-01T12:00:00Z')
const now = NOW.getTime() / 1000
const URL_OF_TOKEN = 'https://id.example.com/oauth/v2/token'
const REQUEST = { method: 'POST', url: URL_OF_TOKEN, accessToken: 'sgat_token' }
const ATH = createHash('sha256').update(REQUEST.accessToken).digest('base64url')

interface Key {
  readonly alg: string
  readonly privateKey: CryptoKey
  readonly jwk: JWK
  readonly secretJwk: JWK
}

const keys: Record<string, Key> = {}
beforeAll(async () => {
  for (const alg of ['ES256', 'PS256', 'EdDSA', 'Ed25519', 'RS256', 'ES384']) {
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
    keys[alg] = {
      alg,
      privateKey,
      jwk: await exportJWK(publicKey),
      secretJwk: await exportJWK(privateKey),
    }
  }
})
const keyOf = (alg: string) => keys[alg] as Key

type Members = Readonly<Record<string, unknown>>

function proofOf(claims: Members = {}, header: Members = {}, alg = 'ES256'): Promise<string> {
  const { jwk, privateKey } = keyOf(alg)
  return new SignJWT({
    jti: randomUUID(),
    htm: 'POST',
    htu: URL_OF_TOKEN,
    iat: now,
    ath: ATH,
    ...claims,
  })
    .setProtectedHeader({ typ: 'dpop+jwt', alg, jwk, ...header })
    .sign(privateKey)
}

const verify = createVerifyProof()
const refusal = (reason: string) => expect.objectContaining({ constructor: ProofRefusal, reason })
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

describe('RFC 9449 section 4.3', () => {
  it.each(['ES256', 'PS256', 'EdDSA', 'Ed25519'])('accepts %s and returns the thumbprint', async (alg) => {
    const { jwk } = keyOf(alg)
    await expect(
      verify(await proofOf({}, { jwk: { ...jwk, alg } }, alg), REQUEST, NOW),
    ).resolves.toBeDefined()
    const proof = await proofOf({ jti: 'j1', nonce: 'n1' }, {}, alg)
    expect(await verify(proof, REQUEST, NOW)).toEqual({
      jkt: await calculateJwkThumbprint(jwk),
      algorithm: alg,
      jti: 'j1',
      issuedAt: now,
      nonce: 'n1',
    })
  })

  it.each([
    ['a query and a fragment in htu', { htu: `${URL_OF_TOKEN}?a=b#c` }],
    ['another case of scheme and host', { htu: 'HTTPS://ID.example.com/oauth/v2/token' }],
    ['the default port', { htu: 'https://id.example.com:443/oauth/v2/token' }],
    ['a clock that is 60 s behind', { iat: now - 60 }],
    ['a clock that is 60 s ahead', { iat: now + 60, nbf: now + 60, exp: now + 120 }],
    ['members that it does not know', { more: { than: 1 } }],
  ])('accepts %s', async (_, claims) => {
    await expect(verify(await proofOf(claims, { more: 1 }), REQUEST, NOW)).resolves.toBeDefined()
  })

  it('asks for no ath where no access token is presented', async () => {
    const { accessToken: _, ...request } = REQUEST
    await expect(verify(await proofOf({ ath: undefined }), request, NOW)).resolves.toBeDefined()
  })

  it('refuses a path that differs in its case, and a public key that is no key of its alg', async () => {
    const other = { ...REQUEST, url: 'https://id.example.com/OAuth/v2/token' }
    await expect(verify(await proofOf(), other, NOW)).rejects.toEqual(refusal('dpop_proof_request'))
    const mixed = await proofOf({}, { jwk: keyOf('PS256').jwk })
    await expect(verify(mixed, REQUEST, NOW)).rejects.toEqual(refusal('dpop_proof_key'))
    const foreign = await proofOf({}, { jwk: keyOf('ES384').jwk })
    await expect(verify(foreign, REQUEST, NOW)).rejects.toEqual(refusal('dpop_proof_key'))
  })

  it('refuses another signature, two headers, and alg none, HS256, RS256 and ES384', async () => {
    const proof = await proofOf()
    const [header = '', payload = '', signature = ''] = proof.split('.')
    const other = (await proofOf()).split('.')[2] ?? ''
    const secret = new TextEncoder().encode('x'.repeat(32))
    const claims = { jti: 'j', htm: 'POST', htu: URL_OF_TOKEN, iat: now, ath: ATH }
    const symmetric = await new SignJWT(claims)
      .setProtectedHeader({ typ: 'dpop+jwt', alg: 'HS256', jwk: keyOf('ES256').jwk })
      .sign(secret)
    for (const [text, reason] of [
      [`${header}.${payload}.${other}`, 'dpop_proof_signature'],
      [`${header}.${part(claims)}.${signature}`, 'dpop_proof_signature'],
      [`${proof}, ${proof}`, 'dpop_proof_malformed'],
      [`${proof},${proof}`, 'dpop_proof_malformed'],
      [`${proof}.${signature}`, 'dpop_proof_malformed'],
      [`${proof} `, 'dpop_proof_malformed'],
      ['', 'dpop_proof_malformed'],
      ['a.b.c', 'dpop_proof_malformed'],
      [`${part('text')}.${payload}.${signature}`, 'dpop_proof_malformed'],
      [`${part(null)}.${payload}.${signature}`, 'dpop_proof_malformed'],
      [`${header}.${'A'.repeat(5_000)}.${signature}`, 'dpop_proof_malformed'],
      [`${part({ typ: 'dpop+jwt', alg: 'none', jwk: keyOf('ES256').jwk })}.${payload}.`, 'dpop_proof_alg'],
      [symmetric, 'dpop_proof_alg'],
      [await proofOf({}, {}, 'RS256'), 'dpop_proof_alg'],
      [await proofOf({}, {}, 'ES384'), 'dpop_proof_alg'],
    ] as const) {
      await expect(verify(text, REQUEST, NOW), `${reason}: ${text}`).rejects.toEqual(refusal(reason))
    }
  })

  it('refuses every private and symmetric member of jwk', async () => {
    for (const alg of ['ES256', 'PS256', 'EdDSA']) {
      const { jwk, secretJwk } = keyOf(alg)
      for (const [member, value] of Object.entries({ ...secretJwk, k: 'AA', oth: [] })) {
        if (member in jwk) continue
        const proof = await proofOf({}, { jwk: { ...jwk, [member]: value } }, alg)
        await expect(verify(proof, REQUEST, NOW), member).rejects.toEqual(refusal('dpop_proof_key'))
      }
    }
  })

  it('refuses every other value of each member, of any type', async () => {
    const claims = { jti: randomUUID(), htm: 'POST', htu: URL_OF_TOKEN, iat: now, ath: ATH }
    const header = { typ: 'dpop+jwt', jwk: undefined }
    const anything = fc.oneof(fc.jsonValue(), fc.constant(undefined))
    const isAccepted: Readonly<Record<string, (value: unknown) => boolean>> = {
      jti: (value) => typeof value === 'string' && value !== '' && value.length <= 512,
      iat: (value) => typeof value === 'number' && Math.abs(value - now) <= 60,
    }
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...Object.keys(claims), ...Object.keys(header)),
        anything,
        async (member, value) => {
          fc.pre(isAccepted[member]?.(value) !== true && value !== { ...claims, ...header }[member])
          const change = { [member]: value }
          const proof = await (member in header ? proofOf({}, change) : proofOf({ ...claims, ...change }))
          await expect(verify(proof, REQUEST, NOW)).rejects.toBeInstanceOf(ProofRefusal)
        },
      ),
      { numRuns: 300 },
    )
  })

  it.each([
    ['iat is 61 s ago', { iat: now - 61 }, 'dpop_proof_age'],
    ['iat is in 61 s', { iat: now + 61 }, 'dpop_proof_age'],
    ['exp has passed', { exp: now - 61 }, 'dpop_proof_age'],
    ['nbf has not come', { nbf: now + 61 }, 'dpop_proof_age'],
    ['the method is another one', { htm: 'GET' }, 'dpop_proof_request'],
    ['the method has another case', { htm: 'post' }, 'dpop_proof_request'],
    ['the endpoint is another one', { htu: 'https://id.example.com/oidc/v1/userinfo' }, 'dpop_proof_request'],
    ['the scheme is http', { htu: 'http://id.example.com/oauth/v2/token' }, 'dpop_proof_request'],
    ['the token is another one', { ath: 'x' }, 'dpop_proof_token_hash'],
    ['jti is too long', { jti: 'x'.repeat(513) }, 'dpop_proof_claims'],
    ['nonce is no string', { nonce: 1 }, 'dpop_proof_claims'],
  ])('refuses a proof when %s', async (_, claims, reason) => {
    await expect(verify(await proofOf(claims), REQUEST, NOW)).rejects.toEqual(refusal(reason))
  })
})
