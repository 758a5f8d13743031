import { createHash } from 'node:crypto'
import { CompactSign, exportJWK, importJWK, SignJWT } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import { claimedSigner, verifyAssertion } from '../src/signed-assertion.ts'
import {
  AUDIENCES,
  assertionClaims,
  type ClientKeyPair,
  clientKeyPair,
  ISSUER,
  NOW,
  signAssertion,
} from './fixtures/assertions.ts'
import { testClient } from './fixtures/clients.ts'

const now = NOW.getTime() / 1000
let rsa: ClientKeyPair
let ec: ClientKeyPair

beforeAll(async () => {
  rsa = await clientKeyPair('RS256', 'k1')
  ec = await clientKeyPair('ES256', 'k2')
})

const clientWith = (...keys: readonly ClientKeyPair[]) =>
  testClient({
    clientId: 'svc',
    authMethod: 'private_key_jwt',
    keys: keys.map(({ registered }) => registered),
  })
const verify = (assertion: string, client = clientWith(rsa)) =>
  verifyAssertion(assertion, client, AUDIENCES, NOW)
const refusal = (reason: string) => ({ code: 'invalid_client', status: 401, reason })

describe('RFC 7523 section 3: algorithms and keys', () => {
  it.each(['RS256', 'PS256', 'ES256', 'EdDSA'])('%s is accepted [F-11]', async (alg) => {
    const key = await clientKeyPair(alg, 'k1')
    const assertion = await signAssertion(key, alg, assertionClaims())
    await expect(verify(assertion, clientWith(key))).resolves.toEqual({
      replayId: 'j1',
      issuedAt: now,
      expiresAt: now + 60,
    })
  })

  it.each(['RS384', 'RS512', 'PS512', 'ES384'])('%s is not on the list [F-11]', async (alg) => {
    const key = await clientKeyPair(alg, 'k1')
    const assertion = await signAssertion(key, alg, assertionClaims())
    await expect(verify(assertion, clientWith(key))).rejects.toMatchObject(refusal('assertion_alg'))
  })

  it('a public key is no HMAC secret [F-26]', async () => {
    const publicText = new TextEncoder().encode(JSON.stringify(rsa.registered.jwk))
    const forged = await new SignJWT(assertionClaims())
      .setProtectedHeader({ alg: 'HS256', kid: 'k1' })
      .sign(publicText)
    await expect(verify(forged)).rejects.toMatchObject(refusal('assertion_alg'))
  })

  it('alg none is refused [F-26]', async () => {
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const unsigned = `${part({ alg: 'none', kid: 'k1' })}.${part(assertionClaims())}.`
    await expect(verify(unsigned)).rejects.toMatchObject(refusal('assertion_alg'))
  })

  it('ignores a key in the header [F-26]', async () => {
    const stranger = await clientKeyPair('RS256', 'k1')
    const jwk = await exportJWK(stranger.privateKey).catch(() => stranger.registered.jwk)
    const forged = await signAssertion(stranger, 'RS256', assertionClaims(), {
      jwk: { ...jwk, d: undefined },
    })
    await expect(verify(forged)).rejects.toMatchObject(refusal('assertion_signature'))
  })

  it('alg must fit the key that kid names [F-26]', async () => {
    const assertion = await signAssertion(rsa, 'RS256', assertionClaims(), { kid: 'k2' })
    await expect(verify(assertion, clientWith(rsa, ec))).rejects.toMatchObject(
      refusal('assertion_alg_of_key'),
    )
  })

  it.each([
    ['an unknown kid', { kid: 'k9' }],
    ['no kid while there are two keys', { kid: undefined }],
  ])('%s is refused', async (_, header) => {
    const assertion = await signAssertion(rsa, 'RS256', assertionClaims(), header)
    await expect(verify(assertion, clientWith(rsa, ec))).rejects.toMatchObject(refusal('assertion_kid'))
  })

  it('no kid is fine while there is one key', async () => {
    const assertion = await signAssertion(rsa, 'RS256', assertionClaims(), { kid: undefined })
    await expect(verify(assertion)).resolves.toMatchObject({ replayId: 'j1' })
  })

  it.each<[string, string, Record<string, unknown>]>([
    ['its registered alg is another one', 'PS256', { alg: 'RS256' }],
    ['it is registered for encryption', 'RS256', { use: 'enc' }],
    ['its key_ops do not allow verification', 'RS256', { key_ops: ['encrypt'] }],
    ['its public exponent is 1', 'RS256', { e: 'AQ' }],
    ['its public exponent is 3', 'RS256', { e: 'Aw' }],
  ])('RFC 8725 section 3.1: rejects a key when %s', async (_, alg, members) => {
    const { registered, privateKey } = rsa
    const key = { privateKey: await keyFor(alg, privateKey), registered: withMembers(registered, members) }
    const assertion = await signAssertion(key, alg, assertionClaims())
    await expect(verify(assertion, clientWith(key))).rejects.toMatchObject(refusal('assertion_alg_of_key'))
  })

  it('RFC 8725 section 3.1: accepts a key whose alg, use and key_ops allow it', async () => {
    const members = { alg: 'RS256', use: 'sig', key_ops: ['verify'] }
    const key = { ...rsa, registered: withMembers(rsa.registered, members) }
    const assertion = await signAssertion(key, 'RS256', assertionClaims())
    await expect(verify(assertion, clientWith(key))).resolves.toMatchObject({ replayId: 'j1' })
  })

  it('a registered key that has expired verifies no assertion', async () => {
    const expired = { ...rsa, registered: { ...rsa.registered, expiresAt: new Date(NOW.getTime() - 1) } }
    const assertion = await signAssertion(rsa, 'RS256', assertionClaims())
    await expect(verify(assertion, clientWith(expired))).rejects.toMatchObject(refusal('assertion_kid'))
  })

  it('a changed signature or payload is refused', async () => {
    const [header, , signature] = (await signAssertion(rsa, 'RS256', assertionClaims())).split('.')
    const payload = Buffer.from(JSON.stringify(assertionClaims({ jti: 'j2' }))).toString('base64url')
    await expect(verify(`${header}.${payload}.${signature}`)).rejects.toMatchObject(
      refusal('assertion_signature'),
    )
  })

  it.each(['', 'a', 'a.b', 'a.b.c', '..', '{}.{}.{}'])('%j is not an assertion', async (text) => {
    expect(claimedSigner(text)).toBeUndefined()
    await expect(verify(text)).rejects.toMatchObject({ code: 'invalid_client' })
  })

  it.each(['"text"', 'null', '[]', 'no json'])('a payload of %s is refused', async (payload) => {
    const assertion = await new CompactSign(new TextEncoder().encode(payload))
      .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
      .sign(rsa.privateKey)
    await expect(verify(assertion)).rejects.toMatchObject({ code: 'invalid_client' })
  })
})

describe('RFC 7523 section 3: claims', () => {
  it.each<[string, Record<string, unknown>]>([
    ['aud is the issuer', { aud: ISSUER }],
    ['aud is the token endpoint', { aud: `${ISSUER}/oauth/v2/token` }],
    ['aud is the endpoint called', { aud: `${ISSUER}/oauth/v2/revoke` }],
    ['aud is an array with the issuer', { aud: ['https://other.localhost', ISSUER] }],
    ['it lives an hour', { exp: now + 3_600 }],
    ['the clock of the client is 60 s ahead', { iat: now + 60, nbf: now + 60, exp: now + 120 }],
    ['the clock of the client is 59 s behind', { iat: now - 119, exp: now - 59 }],
    ['times are not whole seconds', { iat: now + 0.25, exp: now + 60.5 }],
  ])('accepted when %s [F-11]', async (_, claims) => {
    await expect(verify(await signAssertion(rsa, 'RS256', assertionClaims(claims)))).resolves.toBeDefined()
  })

  it.each<[string, string, Record<string, unknown>]>([
    ['iss is another client', 'assertion_subject', { iss: 'web' }],
    ['iss is missing', 'assertion_subject', { iss: undefined }],
    ['sub is another client', 'assertion_subject', { sub: 'web' }],
    ['aud is missing', 'assertion_audience', { aud: undefined }],
    ['aud is somebody else', 'assertion_audience', { aud: 'https://other.localhost' }],
    ['aud only begins like the issuer', 'assertion_audience', { aud: `${ISSUER}.evil.localhost` }],
    ['aud is an array without us', 'assertion_audience', { aud: ['https://other.localhost'] }],
    ['exp is missing', 'assertion_times', { exp: undefined }],
    ['iat is missing', 'assertion_times', { iat: undefined }],
    ['exp is text', 'assertion_times', { exp: String(now + 60) }],
    ['iat is text', 'assertion_times', { iat: String(now) }],
    ['iat is null', 'assertion_times', { iat: null }],
    ['nbf is text', 'assertion_times', { nbf: 'soon' }],
    ['nbf is null', 'assertion_times', { nbf: null }],
    ['nbf is a list', 'assertion_times', { nbf: [now] }],
    ['it expired', 'assertion_expired', { iat: now - 120, exp: now - 60 }],
    ['it lives more than an hour', 'assertion_too_long', { exp: now + 3_601 }],
    ['iat is over 60 s ahead', 'assertion_early', { iat: now + 61, exp: now + 120 }],
    ['nbf is over 60 s ahead', 'assertion_early', { nbf: now + 61 }],
    ['jti is a number', 'assertion_jti', { jti: 7 }],
    ['jti is endless', 'assertion_jti', { jti: 'x'.repeat(513) }],
  ])('refused when %s [F-11]', async (_, reason, claims) => {
    const assertion = await signAssertion(rsa, 'RS256', assertionClaims(claims))
    await expect(verify(assertion)).rejects.toMatchObject(refusal(reason))
  })

  it.each([
    ['aud has a slash at the end', /it has a slash at the end/, { aud: `${ISSUER}/` }],
    ['it expired', /check the clock of the signer/, { iat: now - 120, exp: now - 60 }],
  ])('says what to change when %s', async (_, message, claims) => {
    const assertion = await signAssertion(rsa, 'RS256', assertionClaims(claims))
    await expect(verify(assertion)).rejects.toThrow(message)
  })

  it('allows header and payload once, without a jti [F-11]', async () => {
    const ecdsa = { ...ec, registered: { ...ec.registered, kid: 'k1' } }
    const claims = assertionClaims({ jti: undefined })
    const twice = [await signAssertion(ecdsa, 'ES256', claims), await signAssertion(ecdsa, 'ES256', claims)]
    expect(twice[0]).not.toBe(twice[1])
    const content = twice[0]?.slice(0, twice[0].lastIndexOf('.')) ?? ''
    const digest = createHash('sha256').update(content).digest('base64url')
    for (const assertion of twice) {
      await expect(verify(assertion, clientWith(ecdsa))).resolves.toMatchObject({ replayId: digest })
    }
  })

  it('RFC 7515 section 2: rejects every spelling of base64url but the canonical one', async () => {
    const assertion = await signAssertion(rsa, 'RS256', assertionClaims({ jti: undefined }))
    await expect(verify(assertion)).resolves.toBeDefined()
    const [header = '', payload = '', signature = ''] = assertion.split('.')
    for (const spelling of [
      ...['\n', ' ', '\t', '\r\n', '\n\n', '=', '==', '+', '/', '.', '\u00e9'].flatMap((extra) => [
        `${assertion}${extra}`,
        `${extra}${assertion}`,
        `${header}${extra}.${payload}.${signature}`,
        `${header}.${payload}${extra}.${signature}`,
        `${header}.${payload}.${signature.slice(0, 9)}${extra}${signature.slice(9)}`,
      ]),
      ...nonCanonical(signature).map((other) => `${header}.${payload}.${other}`),
    ]) {
      expect(claimedSigner(spelling), spelling).toBeUndefined()
      await expect(verify(spelling), spelling).rejects.toMatchObject(refusal('assertion_malformed'))
    }
  })
})

/** The same bytes with the unused bits of the last character set in every other way. */
function nonCanonical(part: string): string[] {
  const alphabet = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_']
  const bytes = Buffer.from(part, 'base64url')
  const others = alphabet.map((last) => `${part.slice(0, -1)}${last}`)
  const same = others.filter((other) => other !== part && Buffer.from(other, 'base64url').equals(bytes))
  expect(same.length).toBeGreaterThan(0)
  return same
}

const withMembers = (registered: ClientKeyPair['registered'], members: Record<string, unknown>) => ({
  ...registered,
  jwk: { ...registered.jwk, ...members },
})

/** The private key as jose takes it for another algorithm of the same kind. */
async function keyFor(alg: string, privateKey: ClientKeyPair['privateKey']) {
  return importJWK(await exportJWK(privateKey), alg) as Promise<ClientKeyPair['privateKey']>
}
