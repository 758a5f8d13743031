import { createHmac } from 'node:crypto'
import { exportJWK } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createHostileEnvironment, type HostileEnvironment } from './fixtures/hostile-environment.ts'
import { createSigningKey, signed } from './fixtures/hostile-provider.ts'

let on: HostileEnvironment
beforeAll(async () => {
  on = await createHostileEnvironment()
})
beforeEach(() => on.renew())
afterAll(() => on?.stop())

const seconds = () => Math.floor(on.clock.now().getTime() / 1_000)
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

it('a sign-in without a fault is an assertion', async () => {
  on.upstream.claims = { name: 'Alice', auth_time: seconds() }
  const { assertion, refusal } = await on.signIn()
  expect(refusal).toBeUndefined()
  expect(assertion).toMatchObject({
    issuer: on.upstream.issuer,
    subject: 'alice',
    profile: { displayName: 'Alice' },
  })
  expect(assertion?.authenticatedAt?.seconds).toBe(BigInt(seconds()))
})

describe('claims of an ID token (OpenID Connect Core section 3.1.3.7)', () => {
  it.each<[string, string, () => Readonly<Record<string, unknown>>]>([
    ['another issuer', 'issuer_differs', () => ({ iss: 'https://other.example' })],
    ['an issuer with a slash at its end', 'issuer_differs', () => ({ iss: `${on.upstream.issuer}/` })],
    ['no issuer', 'claim_missing', () => ({ iss: undefined })],
    ['another audience', 'audience_differs', () => ({ aud: 'another-client' })],
    ['no audience', 'claim_missing', () => ({ aud: undefined })],
    ['several audiences without us', 'audience_differs', () => ({ aud: ['a', 'b'], azp: 'signet' })],
    ['several audiences without azp', 'authorized_party_differs', () => ({ aud: ['signet', 'b'] })],
    [
      'several audiences and another azp',
      'authorized_party_differs',
      () => ({ aud: ['signet', 'b'], azp: 'b' }),
    ],
    ['one audience and another azp', 'authorized_party_differs', () => ({ azp: 'b' })],
    ['another nonce', 'nonce_differs', () => ({ nonce: 'another' })],
    ['no nonce', 'claim_missing', () => ({ nonce: undefined })],
    ['an end in the past', 'id_token_expired', () => ({ exp: seconds() - 31 })],
    ['no end', 'claim_missing', () => ({ exp: undefined })],
    ['an end that is a text', 'id_token_malformed', () => ({ exp: '4000000000' })],
    ['a begin in the future', 'id_token_not_yet_valid', () => ({ nbf: seconds() + 60 })],
    ['no subject', 'claim_missing', () => ({ sub: undefined })],
    ['a subject that is a number', 'claim_missing', () => ({ sub: 7 })],
    ['an empty subject', 'claim_missing', () => ({ sub: '' })],
  ])('%s is refused as %s', async (_, rule, claims) => {
    on.upstream.claims = claims()
    expect(await on.signIn()).toMatchObject({
      assertion: undefined,
      refusal: { rule, temporary: false, declined: false },
    })
    const refusals = on.federation.lines.filter(({ stage }) => stage !== undefined)
    expect(refusals.map((line) => line.rule)).toEqual([rule])
  })

  it('several audiences with azp are accepted', async () => {
    on.upstream.claims = { aud: ['other', 'signet'], azp: 'signet' }
    expect((await on.signIn()).assertion?.subject).toBe('alice')
  })

  it('a refusal has the received and the expected value, cut to a length that a page can show', async () => {
    on.upstream.claims = { iss: `https://${'x'.repeat(500)}\n.example` }
    const { refusal } = await on.signIn()
    expect(refusal?.expected).toBe(on.upstream.issuer)
    expect(refusal?.received).toMatch(/^https:\/\/x{192}$/)
  })
})

describe('the age of the authentication', () => {
  it.each<[string, object, () => unknown, string | undefined]>([
    ['without auth_time', { maxAgeSeconds: 60n }, () => undefined, 'authentication_time_missing'],
    ['with a text as auth_time', { maxAgeSeconds: 60n }, () => `${seconds()}`, 'authentication_time_missing'],
    ['older than max_age', { maxAgeSeconds: 60n }, () => seconds() - 91, 'authentication_too_old'],
    ['as old as max_age', { maxAgeSeconds: 60n }, () => seconds() - 60, undefined],
    ['before a fresh sign-in', { fresh: true }, () => seconds() - 31, 'authentication_too_old'],
    ['at a fresh sign-in', { fresh: true }, () => seconds(), undefined],
    ['of any age where none was asked for', {}, () => seconds() - 9_999, undefined],
  ])('%s', async (_, beginning, authTime, rule) => {
    on.upstream.claims = { auth_time: authTime() }
    const { assertion, refusal } = await on.signIn({}, beginning)
    expect(refusal?.rule).toBe(rule)
    expect(assertion?.subject).toBe(rule === undefined ? 'alice' : undefined)
  })

  it('a person who takes minutes after a fresh authentication signs in', async () => {
    const begun = await on.federation.begin('hostile', { fresh: true })
    on.clock.advance(1_000)
    on.upstream.claims = { auth_time: seconds() }
    on.clock.advance(5 * 60_000)
    const { assertion } = await on.federation.complete(begun, on.upstream.respond(begun.location))
    expect(assertion?.subject).toBe('alice')
  })
})

describe('signatures', () => {
  it('without a signature (alg none) is refused', async () => {
    on.upstream.sign = (claims) => `${encode({ alg: 'none' })}.${encode(claims)}.`
    expect((await on.signIn()).refusal?.rule).toBe('algorithm_refused')
  })

  it.each(['the public key', 'the client secret'])('HS256 with %s as its key is refused', async (which) => {
    const key =
      which === 'the client secret' ? 'a secret: with % and +/=' : JSON.stringify(on.upstream.key.jwk)
    on.upstream.sign = (claims) => {
      const input = `${encode({ alg: 'HS256', kid: 'first' })}.${encode(claims)}`
      return `${input}.${createHmac('sha256', key).update(input).digest('base64url')}`
    }
    expect((await on.signIn()).refusal?.rule).toBe('algorithm_refused')
  })

  it('of another key under the kid of a known one is refused', async () => {
    const forged = await createSigningKey('first')
    on.upstream.sign = (claims) => signed(claims, forged)
    expect((await on.signIn()).refusal?.rule).toBe('signature_invalid')
  })

  it('of a key in the header of the token is refused', async () => {
    const forged = await createSigningKey('forged')
    on.upstream.sign = async (claims) =>
      signed(claims, forged, { jwk: await exportJWK(forged.privateKey), kid: 'forged' })
    expect((await on.signIn()).refusal?.rule).toBe('key_unknown')
  })

  it('under an algorithm that the key is not for is refused', async () => {
    const { key } = on.upstream
    on.upstream.keys = [{ ...key.jwk, alg: 'PS256' }]
    expect((await on.signIn()).refusal?.rule).toBe('key_unknown')
  })

  it('of a key for encryption is refused', async () => {
    on.upstream.keys = [{ ...on.upstream.key.jwk, use: 'enc' }]
    expect((await on.signIn()).refusal?.rule).toBe('key_unknown')
  })

  it('of an RSA key of 1,024 bits is refused', async () => {
    on.upstream.keys = [{ ...on.upstream.key.jwk, n: on.upstream.key.jwk.n?.slice(0, 171) ?? '' }]
    expect((await on.signIn()).refusal?.rule).toBe('key_unknown')
  })

  it('with changed claims is refused', async () => {
    on.upstream.sign = async (claims) => {
      const [header, , signature] = (await signed(claims, on.upstream.key)).split('.')
      return [header, encode({ ...claims, sub: 'bob' }), signature].join('.')
    }
    expect((await on.signIn()).refusal?.rule).toBe('signature_invalid')
  })

  it.each(['RS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'])('of %s is accepted', async (alg) => {
    const key = await createSigningKey('other', alg)
    on.upstream.keys = [on.upstream.key.jwk, key.jwk]
    on.upstream.sign = (claims) => signed(claims, key)
    expect((await on.signIn()).assertion?.subject).toBe('alice')
  })

  it('without a kid is accepted where the provider has one key that fits, and refused where it has two', async () => {
    on.upstream.sign = (claims) => signed(claims, on.upstream.key, { kid: undefined as never })
    expect((await on.signIn()).assertion?.subject).toBe('alice')
    await on.renew()
    on.upstream.keys = [on.upstream.key.jwk, (await createSigningKey('second')).jwk]
    on.upstream.sign = (claims) => signed(claims, on.upstream.key, { kid: undefined as never })
    expect((await on.signIn()).refusal?.rule).toBe('key_unknown')
  })

  it.each(['not a token', 'a.b', 'a.b.c', '....', 'eyJhbGciOiJSUzI1NiJ9.e30.', ''])(
    '%j is refused',
    async (token) => {
      on.upstream.sign = () => token
      expect((await on.signIn()).refusal?.rule).toMatch(
        /^(id_token_malformed|key_unknown|signature_invalid|claim_missing)$/,
      )
    },
  )
})

describe('keys of a provider', () => {
  it('a new key is read when a token names it, at most once a minute', async () => {
    await on.signIn()
    const reads = () => on.upstream.asked('/keys')
    expect(reads()).toBe(1)
    const next = await createSigningKey('next')
    on.upstream.sign = (claims) => signed(claims, next)
    on.upstream.keys = [on.upstream.key.jwk, next.jwk]
    // Within the minute the key is unknown, and the person may try again.
    expect((await on.signIn()).refusal).toMatchObject({ rule: 'key_unknown', temporary: true })
    on.clock.advance(60_000)
    expect((await on.signIn()).assertion?.subject).toBe('alice')
    expect(reads()).toBe(2)
    const forged = await createSigningKey('forged')
    on.upstream.sign = (claims) => signed(claims, forged)
    for (let attempt = 0; attempt < 5; attempt += 1)
      expect((await on.signIn()).refusal?.rule).toBe('key_unknown')
    expect(reads()).toBe(2)
    on.clock.advance(60_000)
    expect((await on.signIn()).refusal).toMatchObject({ rule: 'key_unknown', temporary: false })
    expect(reads()).toBe(3)
  })

  it('a key that the provider took out counts no more after ten minutes', async () => {
    await on.signIn()
    on.upstream.keys = [(await createSigningKey('next')).jwk]
    on.clock.advance(9 * 60_000)
    expect((await on.signIn()).assertion?.subject).toBe('alice')
    on.clock.advance(60_000)
    expect((await on.signIn()).refusal?.rule).toBe('key_unknown')
  })

  it('kept keys and metadata go on for an hour while the provider does not publish them', async () => {
    await on.signIn()
    for (const path of ['/keys', '/.well-known/openid-configuration']) {
      on.upstream.answers.set(path, (_, res) => void res.writeHead(503).end())
    }
    on.clock.advance(59 * 60_000)
    expect((await on.signIn()).assertion?.subject).toBe('alice')
    on.clock.advance(60_000)
    expect((await on.signIn()).refusal).toMatchObject({ rule: 'provider_failed', temporary: true })
  })
})
