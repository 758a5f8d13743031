import { generateKeyPairSync } from 'node:crypto'
import { decodeProtectedHeader, type JWTPayload, jwtVerify } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createHostileEnvironment, type HostileEnvironment } from './fixtures/hostile-environment.ts'

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
/** The file that Apple gives, `AuthKey_ABC123DEFG.p8`. */
const P8 = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
const APPLE = {
  ...{ clientAuthentication: 'apple_client_secret', clientSecret: '', clientKey: P8 },
  ...{ clientTeamId: 'DEF123GHIJ', clientKeyId: 'ABC123DEFG', scopes: ['openid', 'name', 'email'] },
}
const NAMED = JSON.stringify({
  name: { firstName: 'Alice', lastName: 'Liddell' },
  email: 'evil@corp.example',
})

let on: HostileEnvironment
beforeAll(async () => {
  on = await createHostileEnvironment()
})
beforeEach(async () => {
  await on.renew()
  on.set(APPLE)
})
afterAll(() => on?.stop())

const sentForm = () =>
  new URLSearchParams(on.upstream.requests.find(({ path }) => path === '/token')?.body ?? '')

describe('a sign-in by Apple', () => {
  it('asks for a response by form, and authenticates by a token of one minute that the key signs', async () => {
    const begun = await on.federation.begin('hostile')
    expect(new URL(begun.location).searchParams.get('response_mode')).toBe('form_post')
    const { assertion } = await on.federation.complete(begun, on.upstream.respond(begun.location))
    expect(assertion?.subject).toBe('alice')
    const form = sentForm()
    expect([form.get('client_id'), form.has('client_assertion')]).toEqual(['signet', false])
    const secret = form.get('client_secret') ?? ''
    expect(decodeProtectedHeader(secret)).toEqual({ alg: 'ES256', kid: 'ABC123DEFG' })
    const { payload } = await jwtVerify<JWTPayload>(secret, publicKey, { currentDate: on.clock.now() })
    const seconds = Math.floor(on.clock.now().getTime() / 1_000)
    expect(payload).toEqual({
      ...{ iss: 'DEF123GHIJ', sub: 'signet', aud: on.upstream.issuer },
      ...{ iat: seconds, exp: seconds + 60 },
    })
    expect(on.upstream.requests.every(({ authorization }) => !authorization.startsWith('Basic'))).toBe(true)
  })

  it('signs a secret for each request', async () => {
    await on.signIn()
    const first = sentForm().get('client_secret')
    on.upstream.requests.splice(0)
    await on.signIn()
    expect(sentForm().get('client_secret')).not.toBe(first)
  })

  it.each([
    ['RSA', generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey],
    ['Ed25519', generateKeyPairSync('ed25519').privateKey],
    ['P-384', generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey],
  ])('is refused with a key of %s, which is sent nowhere', async (_, key) => {
    const clientKey = key.export({ format: 'pem', type: 'pkcs8' }).toString()
    on.set({ ...APPLE, clientKey })
    const { refusal } = await on.signIn()
    expect(refusal).toMatchObject({ rule: 'client_authentication_refused', received: 'apple_client_secret' })
    expect(on.upstream.asked('/token')).toBe(0)
    expect(JSON.stringify(on.federation.lines)).not.toContain(clientKey.split('\n')[1])
  })

  it.each([
    ['alg none', { alg: 'none', typ: 'JWT' }],
    ['HS256 with the public key', { alg: 'HS256', typ: 'JWT' }],
  ])('is refused for an ID token with %s', async (_, header) => {
    on.upstream.sign = (claims) =>
      `${[header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.AAAA`
    expect((await on.signIn({ user: NAMED })).refusal?.rule).toBe('algorithm_refused')
  })

  it('tells the names of the form apart from those of the provider, and no address of the form', async () => {
    const { assertion } = await on.signIn({ user: NAMED })
    expect(assertion).toMatchObject({
      ...{ claimedGivenName: 'Alice', claimedFamilyName: 'Liddell', subject: 'alice' },
      profile: { givenName: '', familyName: '', displayName: '', email: '', emailVerified: false },
    })
    on.upstream.claims = { email: 'alice@apple.example', email_verified: true, given_name: 'Al' }
    const both = await on.signIn({ user: NAMED })
    expect(both.assertion).toMatchObject({
      claimedGivenName: 'Alice',
      profile: { givenName: 'Al', email: 'alice@apple.example', emailVerified: true },
    })
  })

  it('reads no names of the form for another provider', async () => {
    on.set({})
    const { assertion } = await on.signIn({ user: NAMED })
    expect(assertion).toMatchObject({ subject: 'alice', claimedGivenName: '', claimedFamilyName: '' })
  })

  it.each([
    ['no JSON', '{'],
    ['null', 'null'],
    ['a text', '"Alice"'],
    ['a list', '[{"name":{"firstName":"Alice"}}]'],
    ['a name that is a text', '{"name":"Alice"}'],
    ['a name that is null', '{"name":null}'],
    ['names that are no texts', '{"name":{"firstName":{"a":1},"lastName":["b"]}}'],
    ['names of the prototype', '{"name":{"__proto__":{"firstName":"Alice","lastName":"B"}}}'],
    ['a prototype', '{"__proto__":{"name":{"firstName":"Alice"}}}'],
    ['control characters', JSON.stringify({ name: { firstName: 'A\u0000', lastName: 'B\r\nC' } })],
    ['directions of text', JSON.stringify({ name: { firstName: '\u202eecilA', lastName: '\u2066B' } })],
    ['long names', JSON.stringify({ name: { firstName: 'a'.repeat(201), lastName: 'b'.repeat(300) } })],
    ['a long text', JSON.stringify({ name: { firstName: 'Alice' }, more: 'x'.repeat(2_000) })],
    [
      'members of a profile',
      '{"email":"a@b.example","email_verified":true,"sub":"root","given_name":"Root"}',
    ],
  ])('goes on without names where the form has %s', async (_, user) => {
    const { assertion, refusal } = await on.signIn({ user })
    expect(refusal).toBeUndefined()
    expect(assertion).toMatchObject({
      ...{ subject: 'alice', claimedGivenName: '', claimedFamilyName: '' },
      profile: { userName: '', givenName: '', email: '', emailVerified: false },
    })
  })
})
