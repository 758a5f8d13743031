import { createHash, randomBytes } from 'node:crypto'
import { identityProviderCallback } from '@signet/protocol/identity-provider-callback'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createRequestSealer, hashOfState } from '../src/conversation/sealed-request.ts'
import { createHostileEnvironment, type HostileEnvironment } from './fixtures/hostile-environment.ts'
import { startHostileProvider } from './fixtures/hostile-provider.ts'
import { ISSUER, PROVIDER } from './fixtures/running-federation.ts'

let on: HostileEnvironment
beforeAll(async () => {
  on = await createHostileEnvironment({ replicas: 2, limits: { requests: 30 } })
})
beforeEach(() => on.renew())
afterAll(() => on?.stop())

describe('the request to a provider', () => {
  it('has PKCE with S256, a nonce and the redirect URI of the setting; no host of a request is in it [CVE-2026-29067]', async () => {
    const begun = await on.federation.begin('hostile', {
      ...{ loginHint: 'alice', acrValues: ['a', 'b c'], uiLocales: ['de', 'x y'], maxAgeSeconds: 60n },
    })
    const { searchParams, origin, pathname } = new URL(begun.location)
    expect(origin + pathname).toBe(`${on.upstream.issuer}/authorize`)
    expect(Object.fromEntries(searchParams)).toEqual({
      ...{ response_type: 'code', client_id: 'signet', scope: 'openid profile email', state: begun.state },
      redirect_uri: `${ISSUER}/ui/identity-providers/hostile/callback`,
      ...{
        nonce: expect.stringMatching(/^[\w-]{43}$/),
        code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      },
      ...{
        code_challenge_method: 'S256',
        login_hint: 'alice',
        acr_values: 'a',
        ui_locales: 'de',
        max_age: '60',
      },
    })
    await on.federation.complete(begun, on.upstream.respond(begun.location))
    const redeemed = new URLSearchParams(on.upstream.requests.find(({ path }) => path === '/token')?.body)
    expect(redeemed.get('redirect_uri')).toBe(identityProviderCallback(ISSUER, 'hostile'))
    const challenge = createHash('sha256')
      .update(redeemed.get('code_verifier') ?? '')
      .digest('base64url')
    expect(challenge).toBe(searchParams.get('code_challenge'))
  })
})

describe('a sign-in ends once', () => {
  it('a replayed response is refused', async () => {
    const begun = await on.federation.begin('hostile')
    const response = on.upstream.respond(begun.location)
    expect((await on.federation.complete(begun, response)).assertion?.subject).toBe('alice')
    expect((await on.federation.complete(begun, response)).refusal?.rule).toBe('request_unknown')
    expect((await on.federation.complete(begun, response, 1)).refusal?.rule).toBe('request_unknown')
    expect(on.upstream.asked('/token')).toBe(1)
  })

  it('of one response at two replicas at the same time exactly one is an assertion', async () => {
    for (let round = 0; round < 10; round += 1) {
      const begun = await on.federation.begin('hostile')
      const response = on.upstream.respond(begun.location)
      const outcomes = await Promise.all(
        [0, 1, 0, 1].map((replica) => on.federation.complete(begun, response, replica)),
      )
      expect(outcomes.filter(({ assertion }) => assertion !== undefined)).toHaveLength(1)
      expect(outcomes.filter(({ refusal }) => refusal?.rule === 'request_unknown')).toHaveLength(3)
    }
    expect(on.upstream.asked('/token')).toBe(10)
  })

  it('a refused one is over as well', async () => {
    const begun = await on.federation.begin('hostile')
    const response = on.upstream.respond(begun.location)
    expect((await on.federation.complete(begun, { ...response, code: '' })).refusal?.rule).toBe(
      'response_malformed',
    )
    expect((await on.federation.complete(begun, response)).refusal?.rule).toBe('request_unknown')
  })

  it('a forged response, for a state that was never begun, is refused [CVE-2026-105215]', async () => {
    const begun = await on.federation.begin('hostile')
    const forged = { ...begun, state: 'x'.repeat(43) }
    const { refusal } = await on.federation.complete(forged, { code: 'a-code', state: forged.state })
    expect(refusal?.rule).toBe('request_unknown')
    expect(on.upstream.asked('/token')).toBe(0)
  })

  it('the response in another browser is refused, and the sign-in is over', async () => {
    const begun = await on.federation.begin('hostile')
    const response = on.upstream.respond(begun.location)
    const other = { ...begun, browser: 'another-browser' }
    expect((await on.federation.complete(other, response)).refusal?.rule).toBe('browser_differs')
    expect((await on.federation.complete(begun, response)).refusal?.rule).toBe('request_unknown')
    expect(on.upstream.asked('/token')).toBe(0)
  })

  it('a response after ten minutes is refused', async () => {
    const begun = await on.federation.begin('hostile')
    const late = await on.federation.begin('hostile')
    on.clock.advance(600_000 - 1)
    expect(
      (await on.federation.complete(begun, on.upstream.respond(begun.location))).assertion?.subject,
    ).toBe('alice')
    on.clock.advance(1)
    expect((await on.federation.complete(late, on.upstream.respond(late.location))).refusal?.rule).toBe(
      'request_expired',
    )
  })
})

describe('a response that belongs to another provider (RFC 9207, RFC 9700 section 4.4)', () => {
  it('at the redirect URI of another provider is refused', async () => {
    on.set({}, 'other')
    const begun = await on.federation.begin('hostile')
    const response = on.upstream.respond(begun.location)
    const elsewhere = await on.federation.complete({ ...begun, providerId: 'other' }, response)
    expect(elsewhere.refusal).toMatchObject({
      rule: 'provider_differs',
      received: 'other',
      expected: 'hostile',
    })
    expect(on.upstream.asked('/token')).toBe(0)
  })

  it.each<[string, boolean, string | undefined, string | undefined]>([
    ['with another iss', true, 'https://other.example', 'response_issuer_differs'],
    ['with another iss, which is not announced', false, 'https://other.example', 'response_issuer_differs'],
    ['without iss where it is announced', true, undefined, 'response_issuer_differs'],
    ['without iss where it is not announced', false, undefined, undefined],
    ['with its iss', true, '', undefined],
  ])('%s', async (_, isAnnounced, iss, rule) => {
    on.upstream.discovery = { authorization_response_iss_parameter_supported: isAnnounced }
    const parameters = iss === undefined ? {} : { iss: iss || on.upstream.issuer }
    expect((await on.signIn(parameters)).refusal?.rule).toBe(rule)
    expect(on.upstream.asked('/token')).toBe(rule === undefined ? 1 : 0)
  })

  it('an error of another issuer is not that of the provider', async () => {
    on.upstream.discovery = { authorization_response_iss_parameter_supported: true }
    const { refusal } = await on.signIn({ error: 'access_denied', iss: 'https://other.example' })
    expect(refusal).toMatchObject({ rule: 'response_issuer_differs', declined: false })
  })

  it('a code goes to no provider that took the place of the one that the sign-in began with', async () => {
    const other = await startHostileProvider(on.clock.now)
    const begun = await on.federation.begin('hostile')
    on.set({ issuer: other.issuer })
    const { refusal } = await on.federation.complete(begun, on.upstream.respond(begun.location))
    expect(refusal?.rule).toBe('provider_changed')
    expect(other.requests).toEqual([])
    await other.stop()
  })
})

describe('parameters of a response', () => {
  it.each<[string, Readonly<Record<string, string>>, string]>([
    ['another state', { state: 'y'.repeat(43) }, 'response_malformed'],
    ['no code', { code: '' }, 'response_malformed'],
    ['an ID token in the front channel', { id_token: 'x.y.z' }, 'response_malformed'],
    ['a JARM response', { response: 'x.y.z' }, 'response_malformed'],
    ['an error', { error: 'login_required' }, 'upstream_error'],
    ['an error with a script', { error: '<script>' }, 'upstream_error'],
  ])('%s is refused', async (_, parameters, rule) => {
    const { refusal } = await on.signIn(parameters)
    expect(refusal).toMatchObject({ rule, declined: rule === 'upstream_error' })
    expect(on.upstream.asked('/token')).toBe(0)
  })

  it('the code of an error is passed on, and nothing that is none', async () => {
    expect((await on.signIn({ error: 'login_required' })).refusal?.received).toBe('login_required')
    expect((await on.signIn({ error: 'a\u0001b"' })).refusal?.received).toBe('malformed')
  })
})

describe('a provider that may not be used', () => {
  it.each<[string, object, string]>([
    ['is not active', { usable: false }, 'provider_not_usable'],
    ['belongs to another organization', { organizationId: 'other' }, 'organization_differs'],
    ['is of another type', { type: 'kerberos' }, 'provider_type_unknown'],
    ['has an issuer without TLS', { issuer: 'http://idp.example' }, 'issuer_without_tls'],
  ])(
    'one that %s refuses at the begin, and ends sign-ins that have begun [CVE-2025-64717, CVE-2026-1486]',
    async (_, change, rule) => {
      const begun = await on.federation.begin('hostile')
      on.set(change)
      expect((await on.federation.begin('hostile')).refusal?.rule).toBe(rule)
      const { refusal, assertion } = await on.federation.complete(begun, on.upstream.respond(begun.location))
      expect(assertion).toBeUndefined()
      expect(refusal?.rule).toBe(rule)
      expect(on.upstream.asked('/token')).toBe(0)
    },
  )

  it('one that was deleted refuses, and any organization may be meant', async () => {
    const begun = await on.federation.begin('hostile', { organizationId: '' })
    expect(begun.refusal).toBeUndefined()
    on.federation.providers.delete('hostile')
    const { refusal } = await on.federation.complete(begun, on.upstream.respond(begun.location))
    expect(refusal?.rule).toBe('provider_unknown')
    expect((await on.federation.begin('hostile')).refusal?.rule).toBe('provider_unknown')
  })

  it('while the directory is away a sign-in is refused as temporary', async () => {
    on.federation.directory.isAway = true
    expect((await on.federation.begin('hostile')).refusal).toMatchObject({
      rule: 'directory_away',
      temporary: true,
    })
    on.federation.directory.isAway = false
    expect((await on.federation.begin('hostile')).refusal).toBeUndefined()
  })
})

describe('the number of stored requests', () => {
  it('of a provider is bounded; they make room as they end and as they expire', async () => {
    on.set({}, 'filled')
    on.set({}, 'beside')
    const begun = []
    for (let index = 0; index < 30; index += 1) {
      begun.push(await on.federation.begin('filled'))
      on.clock.advance(1_000)
    }
    const refusal = { rule: 'too_many_requests', temporary: true }
    expect((await on.federation.begin('filled')).refusal).toMatchObject(refusal)
    // Another provider goes on.
    expect((await on.federation.begin('beside')).refusal).toBeUndefined()
    const [, second] = begun
    if (second === undefined) throw new Error('two sign-ins have begun')
    await on.federation.complete(second, on.upstream.respond(second.location))
    expect((await on.federation.begin('filled')).refusal).toBeUndefined()
    expect((await on.federation.begin('filled')).refusal).toMatchObject(refusal)
    on.clock.advance(600_000 - 30_000)
    expect((await on.federation.begin('filled')).refusal).toBeUndefined()
    expect((await on.federation.begin('filled')).refusal).toMatchObject(refusal)
    on.clock.advance(600_000)
    for (let index = 0; index < 30; index += 1)
      expect((await on.federation.begin('filled')).refusal).toBeUndefined()
  })
})

it('a state is stored once: a second sign-in under it is refused', async () => {
  const begun = await on.federation.begin('hostile')
  expect((await on.federation.begin('hostile', { state: begun.state })).refusal?.rule).toBe(
    'too_many_requests',
  )
})

it.each([
  ['a short state', { state: 'short' }],
  ['a browser with a space', { browser: 'a b' }],
  ['a negative age', { maxAgeSeconds: -1n }],
])('%s is a defect of the caller', async (_, more) => {
  await expect(on.federation.begin('hostile', more)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
})

it('steps are counted by outcome and rule, without a provider', async () => {
  on.upstream.claims = {}
  await on.signIn()
  await on.signIn({ error: 'access_denied' })
  on.federation.providers.set('off', { ...PROVIDER, issuer: on.upstream.issuer, usable: false })
  await on.federation.begin('off')
  const text = await on.federation.metrics.text()
  for (const labels of [
    'step="complete",outcome="done",rule=""',
    'step="complete",outcome="declined",rule="upstream_error"',
    'step="begin",outcome="refused",rule="provider_not_usable"',
  ]) {
    expect(text).toContain(`signet_upstream_sign_ins_total{${labels}}`)
  }
})

it('a request under a key that is not in the list is refused, and one under an older key of the list ends', async () => {
  const [older, newer] = [randomBytes(32), randomBytes(32)]
  const secrets = { nonce: 'n', codeVerifier: 'v', issuer: on.upstream.issuer, clientId: 'signet' }
  const stateHash = hashOfState('a state')
  const sealed = createRequestSealer([older], randomBytes).seal(secrets, stateHash)
  expect(createRequestSealer([newer, older], randomBytes).open(sealed, stateHash)).toEqual(secrets)
  const refused = expect.objectContaining({ rule: 'request_unreadable' })
  expect(() => createRequestSealer([newer], randomBytes).open(sealed, stateHash)).toThrow(refused)
  expect(() => createRequestSealer([older], randomBytes).open(sealed, hashOfState('another'))).toThrow(
    refused,
  )
})
