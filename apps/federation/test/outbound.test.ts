import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createHostileEnvironment, type HostileEnvironment } from './fixtures/hostile-environment.ts'
import { startHostileProvider } from './fixtures/hostile-provider.ts'
import { PROVIDER } from './fixtures/running-federation.ts'

let on: HostileEnvironment
beforeAll(async () => {
  on = await createHostileEnvironment({ limits: { callMs: 1_000, underWay: 3 } })
})
beforeEach(() => on.renew())
afterAll(() => on?.stop())

const PATHS = ['/.well-known/openid-configuration', '/keys', '/token', '/userinfo']
const METADATA_SERVICE = 'http://169.254.169.254/latest/meta-data/'

describe.each(PATHS)('at %s', (path) => {
  it('a redirect to a metadata service is not followed', async () => {
    on.upstream.answers.set(path, (_, res) => void res.writeHead(302, { Location: METADATA_SERVICE }).end())
    expect((await on.signIn()).refusal).toMatchObject({ rule: 'redirect_refused', temporary: false })
  })

  it('a redirect to another path of the provider is not followed', async () => {
    on.upstream.answers.set(
      path,
      (_, res) => void res.writeHead(307, { Location: `${on.upstream.issuer}/other` }).end(),
    )
    expect((await on.signIn()).refusal?.rule).toBe('redirect_refused')
    expect(on.upstream.asked('/other')).toBe(0)
  })

  it('10 MB are not read', async () => {
    on.upstream.answers.set(path, (_, res) => sendForever(res, 10_000_000))
    expect((await on.signIn()).refusal).toMatchObject({ rule: 'answer_too_long', temporary: false })
  })

  it('an answer that does not come in time is refused as temporary', async () => {
    on.upstream.answers.set(path, () => undefined)
    expect((await on.signIn()).refusal).toMatchObject({ rule: 'provider_away', temporary: true })
  })

  it('a server error is refused as temporary', async () => {
    on.upstream.answers.set(path, (_, res) => void res.writeHead(502).end('<html>'))
    expect((await on.signIn()).refusal).toMatchObject({ rule: 'provider_failed', temporary: true })
  })

  it('a connection that is cut is refused as temporary', async () => {
    on.upstream.answers.set(path, (_, res) => void res.destroy())
    expect((await on.signIn()).refusal).toMatchObject({ rule: 'provider_away', temporary: true })
  })

  it('an answer without JSON is refused', async () => {
    on.upstream.answers.set(path, (_, res) => void res.end('<html>'))
    expect((await on.signIn()).refusal?.rule).toMatch(/malformed$/)
  })
})

function sendForever(res: ServerResponse, bytes: number): void {
  res.writeHead(200, { 'Content-Type': 'application/json' })
  res.write('{"keys":[')
  res.end('{"kty":"x"},'.repeat(bytes / 12))
}

describe('addresses', () => {
  it.each([
    'http://169.254.169.254',
    'https://169.254.169.254',
    'https://10.0.0.1',
    'https://[fd00:ec2::254]',
  ])('an issuer at %s is not called', async (issuer) => {
    on.set({ issuer })
    expect((await on.signIn()).refusal?.rule).toMatch(/^(address_refused|issuer_without_tls)$/)
  })

  it.each(['token_endpoint', 'userinfo_endpoint', 'jwks_uri'])(
    'a %s at a metadata service is not called',
    async (name) => {
      on.upstream.discovery = { [name]: METADATA_SERVICE }
      expect((await on.signIn()).refusal).toMatchObject({ rule: 'address_refused', temporary: false })
    },
  )

  it.each(['file:///etc/passwd', 'javascript:alert(1)', 'not a URL', ''])(
    '%j is no endpoint',
    async (url) => {
      on.upstream.discovery = { authorization_endpoint: url }
      expect((await on.signIn()).refusal?.rule).toBe('discovery_malformed')
    },
  )
})

describe('discovery', () => {
  it.each([
    ['another host', 'https://other.example'],
    ['a slash at the end', '/'],
    ['several tenants', '/{tenantid}'],
  ])('a document whose issuer has %s is refused', async (_, end) => {
    on.upstream.discovery = { issuer: end.startsWith('https') ? end : `${on.upstream.issuer}${end}` }
    const { refusal } = await on.signIn()
    expect(refusal).toMatchObject({ rule: 'discovery_issuer_differs', expected: on.upstream.issuer })
  })

  it('is read once for sign-ins at the same time, and again after ten minutes', async () => {
    const read = () => on.upstream.asked('/.well-known/openid-configuration')
    await Promise.all([
      on.federation.begin('hostile'),
      on.federation.begin('hostile'),
      on.federation.begin('hostile'),
    ])
    expect(read()).toBe(1)
    on.clock.advance(599_000)
    await on.federation.begin('hostile')
    expect(read()).toBe(1)
    on.clock.advance(1_000)
    await on.federation.begin('hostile')
    expect(read()).toBe(2)
  })

  it('is not tried again for five seconds after a failure', async () => {
    on.upstream.answers.set('/.well-known/openid-configuration', (_, res) => void res.writeHead(500).end())
    for (let attempt = 0; attempt < 5; attempt += 1) await on.federation.begin('hostile')
    expect(on.upstream.asked('/.well-known/openid-configuration')).toBe(1)
    on.upstream.answers.clear()
    on.clock.advance(5_000)
    expect((await on.federation.begin('hostile')).refusal).toBeUndefined()
  })
})

it.each([
  [400, { error: 'invalid_grant' }, 'token_refused', 'invalid_grant'],
  [401, { error: 'invalid_client' }, 'token_refused', 'invalid_client'],
  [400, { error: 'a "quoted" text with a-code' }, 'token_refused', 'malformed'],
  [418, undefined, 'token_refused', '418'],
  [200, { token_type: 'Bearer', id_token: 'x.y.z' }, 'answer_malformed', 'token endpoint'],
  [200, { access_token: 'x', token_type: 'mac', id_token: 'x.y.z' }, 'answer_malformed', 'token endpoint'],
  [200, { access_token: 'x', token_type: 'bearer' }, 'id_token_missing', ''],
])('the token endpoint answers %i %j: %s', async (status, body, rule, received) => {
  on.upstream.answers.set('/token', (_, res) => void res.writeHead(status).end(JSON.stringify(body)))
  expect((await on.signIn()).refusal).toMatchObject({ rule, received })
})

it('nothing of an answer that is no JSON is in the log', async () => {
  const body = 'token=abcdefgh&token_type=bearer'
  on.upstream.answers.set(
    '/token',
    (_, res) => void res.writeHead(200, { 'Content-Type': 'text/plain' }).end(body),
  )
  expect((await on.signIn()).refusal).toMatchObject({ rule: 'answer_malformed', received: 'text/plain' })
  const log = JSON.stringify(on.federation.lines)
  expect(log).toContain('answer_malformed')
  expect(log).not.toMatch(/token=|abc|a-code/)
})

describe('connections', () => {
  it('two sign-ins in a row need one, for documents, token endpoint, keys and userinfo', async () => {
    for (let signIn = 0; signIn < 2; signIn += 1) {
      expect((await on.signIn()).assertion?.subject).toBe('alice')
    }
    expect(on.upstream.requests).toHaveLength(6)
    expect(on.upstream.connections()).toBe(1)
  })

  it('a provider that moves to another origin is called there', async () => {
    await on.signIn()
    const before = on.upstream.requests.length
    const other = await startHostileProvider(on.clock.now)
    on.set({ issuer: other.issuer })
    const begun = await on.federation.begin('hostile')
    const { assertion } = await on.federation.complete(begun, other.respond(begun.location))
    expect(assertion?.issuer).toBe(other.issuer)
    expect(on.upstream.requests).toHaveLength(before)
    await other.stop()
  })

  it('a provider that moves to a private address is refused while a connection to it is kept', async () => {
    await on.signIn()
    on.upstream.discovery = { token_endpoint: METADATA_SERVICE }
    on.clock.advance(600_000)
    expect((await on.signIn()).refusal).toMatchObject({ rule: 'address_refused' })
  })

  it('a provider that closes a kept connection in the middle is asked on a new one', async () => {
    await on.signIn()
    let closed = 0
    on.upstream.answers.set('/token', (_, res) => {
      closed += 1
      on.upstream.answers.delete('/token')
      res.destroy()
    })
    expect((await on.signIn()).assertion?.subject).toBe('alice')
    expect(closed).toBe(1)
    expect(on.upstream.asked('/token')).toBe(3)
  })
})

it('a provider that hangs takes its own places and stops no other', async () => {
  const other = await startHostileProvider(on.clock.now)
  on.federation.providers.set('other', { ...PROVIDER, issuer: other.issuer })
  const held: ServerResponse[] = []
  on.upstream.answers.set('/token', (_, res) => void held.push(res))
  const begun = []
  for (let index = 0; index < 4; index += 1) begun.push(await on.federation.begin('hostile'))
  const [first, second, third, fourth] = begun
  if (!first || !second || !third || !fourth) throw new Error('four sign-ins have begun')
  const waiting = [first, second, third].map((one) =>
    on.federation.complete(one, on.upstream.respond(one.location)),
  )
  await expect.poll(() => held.length).toBe(3)
  const response = on.upstream.respond(fourth.location)
  expect((await on.federation.complete(fourth, response)).refusal).toMatchObject({
    ...{ rule: 'too_many_under_way', temporary: true, expected: 'at most 3' },
  })
  const beside = await on.federation.begin('other')
  expect((await on.federation.complete(beside, other.respond(beside.location))).assertion?.subject).toBe(
    'alice',
  )
  for (const { refusal } of await Promise.all(waiting)) expect(refusal?.rule).toBe('provider_away')
  // The one without a place was not taken, so that its page may be loaded again.
  on.upstream.answers.clear()
  expect(
    (await on.federation.complete(fourth, on.upstream.respond(fourth.location))).assertion?.subject,
  ).toBe('alice')
  await other.stop()
})
