import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { readClientKey } from '@signet/protocol/client-key'
import { identityProviderCallback } from '@signet/protocol/identity-provider-callback'
import { createRunningClock } from '@signet/testing/fake-clock'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startRealProvider } from './fixtures/real-provider.ts'
import { ISSUER, PROVIDER, type RunningFederation, runFederation } from './fixtures/running-federation.ts'

const pem = ({ privateKey }: { readonly privateKey: KeyObject }) =>
  privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
const rsaJwk = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' })
/** A private key for each algorithm, as an administrator gives it. */
const KEYS = {
  RS256: JSON.stringify(rsaJwk),
  PS256: JSON.stringify({ ...rsaJwk, alg: 'PS256' }),
  ES256: pem(generateKeyPairSync('ec', { namedCurve: 'P-256' })),
  EdDSA: pem(generateKeyPairSync('ed25519')),
} as const

function publicJwkOf(key: string) {
  const read = readClientKey(key)
  if ('problem' in read) throw new Error(read.problem)
  return read.publicJwk
}

let federation: RunningFederation
let upstream: Awaited<ReturnType<typeof startRealProvider>>
beforeAll(async () => {
  federation = await runFederation({ clock: createRunningClock() })
  const registered = Object.entries(KEYS).map(([alg, key]) => [alg, publicJwkOf(key)] as const)
  upstream = await startRealProvider(identityProviderCallback(ISSUER, 'real'), Object.fromEntries(registered))
})
afterAll(async () => {
  await upstream?.stop()
  await federation?.stop()
})

function use(clientId: string, clientAuthentication: string) {
  federation.providers.set('real', {
    ...{ ...PROVIDER, issuer: upstream.issuer, clientId, clientAuthentication },
    clientSecret: clientAuthentication === 'none' ? '' : PROVIDER.clientSecret,
  })
}

function useKey(clientId: string, clientKey: string, more: object = {}) {
  const ofKey = { clientId, clientKey, clientSecret: '', clientAuthentication: 'private_key_jwt' }
  federation.providers.set('real', { ...PROVIDER, issuer: upstream.issuer, ...ofKey, ...more })
}

it.each([
  ['basic', 'client_secret_basic'],
  ['post', 'client_secret_post'],
  ['public', 'none'],
])(
  'a person signs in at oidc-provider, to which the client %s authenticates by %s',
  async (client, method) => {
    use(client, method)
    const begun = await federation.begin('real', { loginHint: 'alice@example.com', uiLocales: ['de', 'en'] })
    expect(begun.refusal).toBeUndefined()
    const callback = await upstream.visit(begun.location)
    expect(callback.href).toContain(identityProviderCallback(ISSUER, 'real'))
    // RFC 9207, which oidc-provider announces.
    expect(callback.searchParams.get('iss')).toBe(upstream.issuer)
    const { assertion, refusal } = await federation.complete(begun, callback)
    expect(refusal).toBeUndefined()
    expect(assertion).toMatchObject({
      ...{ providerId: 'real', issuer: upstream.issuer, subject: 'alice' },
      ...{ amr: ['pwd', 'otp'], acr: 'urn:example:loa:2' },
      profile: {
        ...{ displayName: 'Alice Liddell', givenName: 'Alice', familyName: 'Liddell' },
        ...{ email: 'alice@example.com', emailVerified: true },
      },
    })
  },
)

it.each(Object.entries(KEYS))(
  'a person signs in where the client signs an assertion with %s',
  async (alg, clientKey) => {
    useKey(alg, clientKey)
    const begun = await federation.begin('real')
    const { assertion, refusal } = await federation.complete(begun, await upstream.visit(begun.location))
    expect(refusal).toBeUndefined()
    expect(assertion?.subject).toBe('alice')
  },
)

it.each([
  ['another key', { clientKey: KEYS.EdDSA }, { rule: 'token_refused', received: 'invalid_client' }],
  ['a secret for a key', { clientKey: 'a-secret' }, { rule: 'client_authentication_refused' }],
  [
    'a way of another version',
    { clientAuthentication: 'tls_client_auth' },
    { rule: 'client_authentication_refused', received: 'tls_client_auth' },
  ],
])('a client with %s is refused, and no key is in the log', async (_, more, refused) => {
  useKey('ES256', KEYS.ES256, more)
  const begun = await federation.begin('real')
  const { assertion, refusal } = await federation.complete(begun, await upstream.visit(begun.location))
  expect([assertion, refusal]).toEqual([undefined, expect.objectContaining(refused)])
  const log = JSON.stringify(federation.lines)
  expect(log).not.toContain('a-secret')
  expect(log).not.toContain(KEYS.ES256.split('\n')[1])
})

it('a fresh sign-in asks the provider for a new authentication and brings its time', async () => {
  use('basic', 'client_secret_basic')
  const before = Math.floor(Date.now() / 1_000)
  const begun = await federation.begin('real', { fresh: true })
  const parameters = new URL(begun.location).searchParams
  expect([parameters.get('prompt'), parameters.get('max_age')]).toEqual(['login', '0'])
  const { assertion } = await federation.complete(begun, await upstream.visit(begun.location))
  expect(Number(assertion?.authenticatedAt?.seconds)).toBeGreaterThanOrEqual(before)
})

it('a person who declines ends the sign-in with the code of the provider', async () => {
  use('basic', 'client_secret_basic')
  upstream.person.declines = true
  const begun = await federation.begin('real')
  const { refusal } = await federation.complete(begun, await upstream.visit(begun.location))
  upstream.person.declines = false
  expect(refusal).toMatchObject({
    ...{ rule: 'upstream_error', received: 'access_denied', declined: true, temporary: false },
  })
})

it('a wrong client secret is refused with the code of the provider, and no secret is in the log', async () => {
  federation.providers.set('real', {
    ...{ ...PROVIDER, issuer: upstream.issuer, clientId: 'basic', clientSecret: 'wrong-secret-of-upstream' },
  })
  const begun = await federation.begin('real')
  const callback = await upstream.visit(begun.location)
  const { refusal } = await federation.complete(begun, callback)
  expect(refusal).toMatchObject({ rule: 'token_refused', received: 'invalid_client', temporary: false })
  const log = JSON.stringify(federation.lines)
  expect(log).toContain('"rule":"token_refused"')
  for (const secret of ['wrong-secret-of-upstream', callback.searchParams.get('code') ?? '-', begun.state]) {
    expect(log).not.toContain(secret)
  }
})

it('a test shows the claims of both documents without secrets, and ends as no sign-in', async () => {
  use('basic', 'client_secret_basic')
  const begun = await federation.begin('real', { test: true })
  const { documents, assertion } = await federation.completeTest(begun, await upstream.visit(begun.location))
  expect(assertion?.subject).toBe('alice')
  const shown = documents.map(({ name, claims }) => [name, JSON.parse(claims)] as const)
  expect(shown.map(([name]) => name)).toEqual(['id_token', 'userinfo'])
  expect(shown[0]?.[1]).toMatchObject({ iss: upstream.issuer, sub: 'alice', nonce: '(hidden)' })
  expect(shown[1]?.[1]).toMatchObject({ email: 'alice@example.com', email_verified: true })

  const test = await federation.begin('real', { test: true })
  const asSignIn = await federation.complete(test, await upstream.visit(test.location))
  expect(asSignIn).toMatchObject({ assertion: undefined, refusal: { rule: 'purpose_differs' } })
  const signIn = await federation.begin('real')
  const asTest = await federation.completeTest(signIn, await upstream.visit(signIn.location))
  expect(asTest).toMatchObject({ assertion: undefined, documents: [], refusal: { rule: 'purpose_differs' } })
})
