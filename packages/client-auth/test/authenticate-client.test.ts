import { randomBytes } from 'node:crypto'
import { createFailureLimit } from '@signet/http/rate-limit'
import { createPasswordHasher } from '@signet/password-hash/password-hasher'
import { Secret } from '@signet/platform/config/settings-fields'
import { connectRedis, createRedis } from '@signet/platform/redis/client'
import type { Redis } from '@signet/platform/redis/connection'
import { freePort } from '@signet/testing/free-port'
import { createTestRedis, type TestRedis } from '@signet/testing/redis-fixture'
import { size } from '@signet/testing/sizes'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAssertionReplayGuard } from '../src/assertion-replay.ts'
import { type AuthenticateClient, createClientAuthentication } from '../src/authenticate-client.ts'
import { createSecretVerifier } from '../src/client-secret.ts'
import { createVerifyCertificate } from '../src/mutual-tls/verify-certificate.ts'
import type { CredentialCarrier } from '../src/presented-credentials.ts'
import {
  AUDIENCES,
  assertionClaims,
  type ClientKeyPair,
  clientKeyPair,
  NOW,
  signAssertion,
} from './fixtures/assertions.ts'
import { directoryOf, sha256Hash, testClient } from './fixtures/clients.ts'

const SECRET = randomBytes(32).toString('base64url')
const TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const hasher = createPasswordHasher({ concurrency: 2, queueLimit: 10 })
const now = NOW.getTime() / 1000

let key: ClientKeyPair
let testRedis: TestRedis
let redis: Redis
let otherReplica: Redis

beforeAll(async () => {
  key = await clientKeyPair('ES256', 'k1')
  testRedis = await createTestRedis()
  redis = createRedis({ url: testRedis.url, name: 'test' })
  otherReplica = createRedis({ url: testRedis.url, name: 'test' })
  await Promise.all([connectRedis(redis), connectRedis(otherReplica)])
})
afterAll(async () => {
  redis.disconnect()
  otherReplica.disconnect()
  await testRedis.drop()
})

async function replica(connection: Redis | undefined = redis) {
  return callingFrom('203.0.113.9', await authentication(connection))
}

const callingFrom =
  (clientAddress: string, authenticate: AuthenticateClient) => (carrier: CredentialCarrier) =>
    authenticate({ ...carrier, clientAddress })

async function authentication(connection: Redis | undefined = redis, clock = () => NOW) {
  const expired = { hash: sha256Hash('expired-secret'), expiresAt: new Date(NOW.getTime() - 1) }
  return createClientAuthentication({
    directory: directoryOf(
      testClient({ clientId: 'web', secrets: [expired, { hash: sha256Hash(SECRET), expiresAt: null }] }),
      testClient({
        clientId: 'post',
        authMethod: 'client_secret_post',
        secrets: [{ hash: sha256Hash(SECRET), expiresAt: null }],
      }),
      testClient({ clientId: 'spa', authMethod: 'none' }),
      testClient({ clientId: 'svc', authMethod: 'private_key_jwt', keys: [key.registered] }),
      testClient({
        clientId: 'typed',
        secrets: [{ hash: await hasher.hashPassword('typed-by-hand'), expiresAt: null }],
      }),
      testClient({
        clientId: 'asleep',
        active: false,
        secrets: [{ hash: sha256Hash(SECRET), expiresAt: null }],
      }),
    ),
    verifyCertificate: createVerifyCertificate(undefined),
    reviewToken: async () => undefined,
    secrets: createSecretVerifier(hasher, randomBytes(32)),
    audiences: AUDIENCES,
    methodsFor: ({ authMethod }) => [authMethod],
    ...(connection && { replayGuard: createAssertionReplayGuard(connection, () => NOW) }),
    failures: createFailureLimit(clock),
    now: () => NOW,
  })
}

const basic = (clientId: string, secret: string): CredentialCarrier => ({
  authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`,
  body: {},
})
const post = (client_id: string, client_secret: string): CredentialCarrier => ({
  body: { client_id, client_secret },
})
const asserted = (client_assertion: string): CredentialCarrier => ({
  body: { client_assertion, client_assertion_type: TYPE },
})

describe('RFC 6749 section 2.3: client authentication', () => {
  it.each([
    ['client_secret_basic', 'web', () => basic('web', SECRET)],
    ['client_secret_post', 'post', () => post('post', SECRET)],
    ['none', 'spa', () => ({ body: { client_id: 'spa' } })],
  ] as const)('%s proves a client', async (method, clientId, request) => {
    const authenticate = await replica()
    await expect(authenticate(request())).resolves.toMatchObject({ method, client: { clientId } })
  })

  it.each([
    ['a wrong secret', () => basic('web', `${SECRET}x`)],
    ['an empty secret', () => basic('web', '')],
    ['a secret that has expired', () => basic('web', 'expired-secret')],
    ['the stored hash instead of the secret', () => basic('web', sha256Hash(SECRET))],
    ['an unknown client', () => basic('nobody', SECRET)],
    ['an inactive client', () => basic('asleep', SECRET)],
    ['a wrong secret of a slow hash', () => basic('typed', 'typed-by-han')],
  ])('%s gets the same response [F-10]', async (_, request) => {
    const authenticate = await replica()
    const error: unknown = await authenticate(request()).catch((caught: unknown) => caught)
    expect(error).toMatchObject({
      code: 'invalid_client',
      status: 401,
      message:
        'client authentication failed: unknown client or wrong credentials; client_id is the clientId of an application, not its id',
      headers: { 'WWW-Authenticate': expect.stringMatching(/^Basic /) },
    })
  })

  it.each([
    ['Basic by a client registered for POST', () => basic('post', SECRET)],
    ['POST by a client registered for Basic', () => post('web', SECRET)],
    ['nothing by a client with a secret', () => ({ body: { client_id: 'web' } })],
    ['a secret by a public client', () => post('spa', 'anything')],
    ['nothing by a client with a key', () => ({ body: { client_id: 'svc' } })],
  ])('%s is refused', async (_, request) => {
    const authenticate = await replica()
    await expect(authenticate(request())).rejects.toMatchObject({
      code: 'invalid_client',
      reason: 'client_auth_method_not_registered',
    })
  })

  it('names the registered method in the refusal of another one, and the stated client before any proof', async () => {
    const authenticate = await replica()
    const stated: string[] = []
    const request = { ...basic('post', SECRET), onStated: (clientId: string) => stated.push(clientId) }
    await expect(authenticate(request)).rejects.toMatchObject({
      message:
        'the client may not authenticate with client_secret_basic here; its authMethod is client_secret_post',
    })
    expect(stated).toEqual(['post'])
  })

  it('verifies a secret that a person chose with its slow hash, repeatedly', async () => {
    const authenticate = await replica()
    for (const attempt of ['first', 'remembered']) {
      await expect(authenticate(basic('typed', 'typed-by-hand')), attempt).resolves.toBeDefined()
    }
    await expect(authenticate(basic('typed', 'typed-by-foot'))).rejects.toMatchObject({
      code: 'invalid_client',
    })
  })

  it('more slow verifications than may wait are temporarily_unavailable, not a server error', async () => {
    const authenticate = await replica()
    const calls = Array.from({ length: 30 }, (_, n) => authenticate(basic('typed', `wrong-${n}`)))
    const codes = (await Promise.allSettled(calls)).map((result) =>
      result.status === 'rejected' ? (result.reason as { code?: string }).code : 'accepted',
    )
    expect(new Set(codes)).toEqual(new Set(['invalid_client', 'temporarily_unavailable']))
  })
})

describe('RFC 7523 section 2.2: private_key_jwt', () => {
  const assertion = (claims: Record<string, unknown>) => signAssertion(key, 'ES256', assertionClaims(claims))

  it('proves a client', async () => {
    const authenticate = await replica()
    const request = asserted(await assertion({ jti: 'proves' }))
    await expect(authenticate(request)).resolves.toMatchObject({
      method: 'private_key_jwt',
      client: { clientId: 'svc' },
    })
  })

  it('a client_id beside the assertion must be the same', async () => {
    const authenticate = await replica()
    const { body } = asserted(await assertion({ jti: 'beside' }))
    await expect(authenticate({ body: { ...body, client_id: 'web' } })).rejects.toMatchObject({
      code: 'invalid_client',
    })
    await expect(authenticate({ body: { ...body, client_id: 'svc' } })).resolves.toBeDefined()
  })

  it('of parallel uses of one assertion on two replicas exactly one is let through [F-11] [fault.replay-gate]', async () => {
    const replicas = [await replica(), await replica(otherReplica)]
    const request = asserted(await assertion({ jti: 'parallel' }))
    const uses = Array.from({ length: size('contenders') }, (_, n) => replicas[n % 2]?.(request))
    const outcomes = await Promise.allSettled(uses)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const refusals = outcomes.filter((outcome) => outcome.status === 'rejected').map(({ reason }) => reason)
    expect(new Set(refusals.map(({ reason }) => reason))).toEqual(new Set(['assertion_replayed']))
  })

  it('without a jti the same assertion is refused, another one is not [F-11]', async () => {
    const authenticate = await replica()
    const first = asserted(await assertion({ jti: undefined }))
    await authenticate(first)
    await expect(authenticate(first)).rejects.toMatchObject({ reason: 'assertion_replayed' })
    await expect(
      authenticate(asserted(await assertion({ jti: undefined, exp: now + 61 }))),
    ).resolves.toBeDefined()
  })

  it('caches a verified assertion until its exp at least [F-11]', async () => {
    const authenticate = await replica()
    await authenticate(asserted(await assertion({ jti: 'remembered', exp: now + 3_600 })))
    const [remembered = ''] = await redis.keys('*remembered*')
    // It is accepted until a minute after that.
    expect(await redis.ttl(remembered)).toBeGreaterThan(3_660)
  })

  it('refuses assertions that were issued before Redis lost the used ones [F-11]', async () => {
    const authenticate = await replica()
    const used = asserted(await assertion({ jti: 'lost' }))
    await authenticate(used)
    await redis.flushdb()
    await expect(authenticate(used)).rejects.toMatchObject({ reason: 'assertion_unrecorded' })
    await expect(authenticate(used)).rejects.toMatchObject({ reason: 'assertion_replayed' })
    // The clock of a signer may be ahead by this much.
    const times = (iat: number) => ({ iat, exp: iat + 60 })
    const early = asserted(await assertion({ jti: 'early', ...times(now + 59) }))
    await expect(authenticate(early)).rejects.toMatchObject({ reason: 'assertion_unrecorded' })
    await expect(
      authenticate(asserted(await assertion({ jti: 'later', ...times(now + 60) }))),
    ).resolves.toBeDefined()
    await redis.flushdb()
  })

  it('times that are not whole seconds are no reason to fail [F-11]', async () => {
    const authenticate = await replica()
    const request = asserted(await assertion({ jti: 'fraction', iat: now + 0.25, exp: now + 60.5 }))
    await expect(authenticate(request)).resolves.toBeDefined()
  })

  it('a wrong assertion does not use up the jti of a right one [F-11]', async () => {
    const authenticate = await replica()
    const wrong = asserted(await assertion({ jti: 'mine', aud: 'https://other.localhost' }))
    await expect(authenticate(wrong)).rejects.toMatchObject({ code: 'invalid_client' })
    await expect(authenticate(asserted(await assertion({ jti: 'mine' })))).resolves.toBeDefined()
  })

  it('refuses all assertions while Redis is away [F-11]', async () => {
    const url = new Secret(`redis://127.0.0.1:${await freePort()}`)
    const away = createRedis({ url, name: 'away' })
    const authenticate = await replica(away)
    await expect(authenticate(asserted(await assertion({ jti: 'away' })))).rejects.toMatchObject({
      code: 'temporarily_unavailable',
      status: 503,
    })
  })

  it('without a guard, as at introspection, it may be repeated until its exp', async () => {
    const authentication = createClientAuthentication({
      directory: directoryOf(
        testClient({ clientId: 'svc', authMethod: 'private_key_jwt', keys: [key.registered] }),
      ),
      secrets: createSecretVerifier(hasher, randomBytes(32)),
      audiences: AUDIENCES,
      methodsFor: ({ authMethod }) => [authMethod],
      verifyCertificate: createVerifyCertificate(undefined),
      reviewToken: async () => undefined,
      failures: createFailureLimit(() => NOW),
      now: () => NOW,
    })
    const authenticate = callingFrom('203.0.113.9', authentication)
    const request = asserted(await assertion({ jti: 'again' }))
    await authenticate(request)
    await expect(authenticate(request)).resolves.toBeDefined()
  })
})

describe('throttling: 20 failures a second for each address and client', () => {
  const HERE = '203.0.113.9'
  const limited = { status: 429, headers: { 'Retry-After': '1' }, reason: 'client_authentication_throttled' }

  async function afterFailures(request: () => CredentialCarrier) {
    const time = { now: NOW }
    const shared = await authentication(redis, () => time.now)
    const authenticate = callingFrom(HERE, shared)
    for (let failure = 0; failure < 20; failure += 1) {
      await expect(authenticate(request()), `failure ${failure}`).rejects.toMatchObject({ status: 401 })
    }
    return { time, authenticate, from: (address: string) => callingFrom(address, shared) }
  }

  it.each([
    ['a secret', () => basic('web', 'wrong')],
    ['an unknown client', () => basic('nobody', SECRET)],
    ['a slow hash', () => basic('typed', 'wrong')],
    ['an assertion', () => asserted('e30.eyJzdWIiOiJzdmMiLCJpc3MiOiJzdmMifQ.e30')],
  ])('refuses further wrong credentials after that: %s [F-48]', async (_, request) => {
    const { authenticate } = await afterFailures(request)
    await expect(authenticate(request())).rejects.toMatchObject(limited)
  })

  it('accepts the right secret and the right assertion after wrong ones from the same address [F-48]', async () => {
    const secrets = await afterFailures(() => basic('web', 'wrong'))
    await expect(secrets.authenticate(basic('web', SECRET))).resolves.toBeDefined()
    const wrong = () => asserted('e30.eyJzdWIiOiJzdmMiLCJpc3MiOiJzdmMifQ.e30')
    const assertions = await afterFailures(wrong)
    const right = asserted(await signAssertion(key, 'ES256', assertionClaims({ jti: 'late' })))
    await expect(assertions.authenticate(right)).resolves.toBeDefined()
    await expect(assertions.authenticate(wrong())).rejects.toMatchObject(limited)
  })

  it('compares no secret that a person chose after that, not even the right one [F-48]', async () => {
    const { authenticate } = await afterFailures(() => basic('typed', 'wrong'))
    await expect(authenticate(basic('typed', 'typed-by-hand'))).rejects.toMatchObject(limited)
  })

  it('other addresses and other clients of the same address are not held up', async () => {
    const { authenticate, from } = await afterFailures(() => basic('web', 'wrong'))
    await expect(from('203.0.113.10')(basic('web', SECRET))).resolves.toBeDefined()
    await expect(authenticate(post('post', SECRET))).resolves.toBeDefined()
  })

  it('allows one more failure a moment later, and a right secret that a person chose', async () => {
    const { time, authenticate } = await afterFailures(() => basic('typed', 'wrong'))
    time.now = new Date(NOW.getTime() + 50)
    await expect(authenticate(basic('typed', 'typed-by-hand'))).resolves.toBeDefined()
  })

  it('successes do not count', async () => {
    const authenticate = await replica()
    for (let call = 0; call < 100; call += 1) await authenticate(basic('web', SECRET))
    await expect(authenticate(basic('web', SECRET))).resolves.toBeDefined()
  })
})
