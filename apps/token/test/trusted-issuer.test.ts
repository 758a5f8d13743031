import { createHmac, generateKeyPairSync, type JsonWebKey, type KeyObject } from 'node:crypto'
import { startHttpServer } from '@signet/testing/http-server'
import { MACHINE_KEY, oauthDirectory } from '@signet/testing/system/oauth-directory'
import { createOAuthEnvironment, type OAuthEnvironment } from '@signet/testing/system/oauth-environment'
import { startSystem } from '@signet/testing/system/start-system'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

// A workload gets a token with the assertion of its platform and no stored secret.

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const CLUSTER = 'https://kubernetes.default.svc.cluster.local'
const SUBJECT = 'system:serviceaccount:shop:orders'
const key = generateKeyPairSync('rsa', { modulusLength: 2048 })
const other = generateKeyPairSync('rsa', { modulusLength: 2048 })
const publicJwk = (kid: string, of = key): JsonWebKey => ({ ...of.publicKey.export({ format: 'jwk' }), kid })

const platform = { isAway: false, keys: [publicJwk('p1')], requests: 0 }
let server: Awaited<ReturnType<typeof startHttpServer>>
let oauth: OAuthEnvironment

beforeAll(async () => {
  server = await startHttpServer((req, res) => {
    platform.requests++
    if (platform.isAway) return void res.writeHead(500).end()
    // As an API server of Kubernetes does.
    if (req.url === '/keys' && !/\bapplication\/jwk-set\+json\b/.test(req.headers.accept ?? ''))
      return void res.writeHead(406).end()
    const documents: Readonly<Record<string, object>> = {
      '/.well-known/openid-configuration': { issuer: server.url, jwks_uri: `${server.url}/keys` },
      '/keys': { keys: platform.keys },
    }
    res.setHeader('content-type', 'application/json').end(JSON.stringify(documents[req.url ?? ''] ?? {}))
  })
  const document = oauthDirectory()
  const [robot] = document.organizations?.[0]?.serviceUsers?.filter(({ id }) => id === 'robot') ?? []
  Object.assign(robot as object, {
    trustedIssuers: [
      { id: 'cluster', issuer: CLUSTER, subject: SUBJECT, keySet: { keys: [publicJwk('c1')] } },
      { id: 'ci', issuer: server.url, subject: 'repo:acme/*', claims: { environment: 'production' } },
    ],
  })
  // Anyone may have chosen this id: each assertion of the cluster is of the service user of client_id nevertheless.
  Object.assign(document.organizations?.find(({ id }) => id === 'beta') as object, {
    serviceUsers: [{ id: SUBJECT, userName: 'squatter', name: 'Squatter' }],
  })
  const applications = document.organizations?.flatMap(({ projects = [] }) =>
    projects.flatMap(({ applications = [] }) => applications),
  )
  Object.assign(applications?.find(({ id }) => id === 'backend-keyed') as object, {
    trustedIssuers: [
      { id: 'cluster', issuer: CLUSTER, subject: SUBJECT, keySet: { keys: [publicJwk('c1')] } },
      { id: 'ci', issuer: server.url, subject: 'repo:acme/*', claims: { environment: 'production' } },
    ],
  })
  oauth = createOAuthEnvironment(await startSystem({ mode: 'in-process', document }))
}, 60_000)
afterAll(async () => {
  await oauth?.stop()
  await server?.stop()
})

const seconds = () => Math.floor(oauth.system.clock.now().getTime() / 1000)

interface Signing {
  readonly kid?: string
  readonly by?: KeyObject
}

function assertion(
  claims: Readonly<Record<string, unknown>> = {},
  { kid = 'c1', by = key.privateKey }: Signing = {},
): Promise<string> {
  const times = { iat: seconds(), exp: seconds() + 3_600 }
  return new SignJWT({ iss: CLUSTER, sub: SUBJECT, aud: [oauth.system.issuer], ...times, ...claims })
    .setProtectedHeader({ alg: 'RS256', kid })
    .sign(by)
}

const ofPlatform = (claims: Readonly<Record<string, unknown>> = {}, signing: Signing = {}) =>
  assertion(
    { iss: server.url, sub: 'repo:acme/shop:main', environment: 'production', ...claims },
    { kid: 'p1', ...signing },
  )

const ask = async (value: string | Promise<string>, clientId = 'robot') =>
  oauth.token(
    { grant_type: JWT_BEARER, assertion: await value, client_id: clientId, scope: 'openid' },
    { form: {} },
  )

const trusts = '/management/v1/users/jwt-robot/trusted-issuers'

describe('an assertion of a trusted issuer', () => {
  it.each([
    ['whose keys were uploaded', () => assertion()],
    ['whose keys are read by discovery, as often as it is presented', () => ofPlatform()],
  ])('gets a token of the service user: an issuer %s', async (_, make) => {
    const value = await make()
    for (let n = 0; n < 2; n++) {
      const { status, json } = await ask(value)
      expect(status).toBe(200)
      expect((await oauth.introspect(json.access_token, { basic: 'robot-client' })).json).toMatchObject({
        ...{ active: true, sub: 'robot', client_id: 'robot-client' },
      })
    }
  })

  it('does not replace the assertion that the service user itself signs', async () => {
    const own = { iss: 'robot', sub: 'robot', aud: oauth.system.issuer }
    expect((await ask(assertion(own))).text).toContain('kid does not name a registered key')
  })

  it('leaves a refusal that the service user and its client id find', async () => {
    const reasons = async (query: string) => {
      const { json } = await oauth.manage('GET', `/management/v1/refusals?${query}`)
      return (json.items as readonly { reason: string }[]).map(({ reason }) => reason)
    }
    await ask(assertion({ sub: `${SUBJECT}2` }))
    const { headers } = await ask(assertion({ iss: 'https://else.example' }))
    const requestId = headers.get('x-request-id')
    await expect
      .poll(() => reasons(`requestId=${requestId}`), { interval: 200 })
      .toEqual(['issuer_not_trusted'])
    expect(await reasons('user=robot')).toContain('issuer_claims')
    expect(await reasons('application=robot-client')).toContain('issuer_claims')
  })

  const withHmac = async () => {
    const [header, payload] = (await assertion()).split('.')
    const forged = `${Buffer.from('{"alg":"HS256","kid":"c1"}').toString('base64url')}.${payload}`
    const secret = key.publicKey.export({ format: 'pem', type: 'spki' })
    expect(header).not.toBe('')
    return `${forged}.${createHmac('sha256', secret).update(forged).digest('base64url')}`
  }

  it.each<[fault: string, make: () => string | Promise<string>, rule: string]>([
    ['another subject', () => assertion({ sub: `${SUBJECT}2` }), 'sub differ'],
    ['no subject', () => assertion({ sub: undefined }), 'sub differ'],
    ['a number as subject', () => ofPlatform({ sub: 5 }), 'sub differ'],
    [
      'an issuer that is not trusted',
      () => assertion({ iss: 'https://else.example' }),
      'not an issuer that is trusted',
    ],
    ['the subject of one issuer at the other', () => ofPlatform({ sub: SUBJECT }), 'sub differ'],
    ['a claim with another value', () => ofPlatform({ environment: 'test' }), 'environment differ'],
    ['a claim missing', () => ofPlatform({ environment: undefined }), 'environment differ'],
    [
      'the signature of another key',
      () => assertion({}, { by: other.privateKey }),
      'signature does not verify',
    ],
    ['a kid of another issuer', () => assertion({}, { kid: 'p1' }), 'kid does not name'],
    ['an HMAC with the public key', withHmac, 'alg must be one of'],
    ['no signature', async () => `${(await assertion()).split('.').slice(0, 2).join('.')}.`, 'signature'],
    ['another audience', () => assertion({ aud: 'https://else.example' }), 'aud must be the issuer'],
    ['a second audience', () => assertion({ aud: [oauth.system.issuer, 'x'] }), 'aud must be the issuer'],
    [
      'the token endpoint as audience',
      () => assertion({ aud: `${oauth.system.issuer}/oauth/v2/token` }),
      'aud must be',
    ],
    ['no end', () => assertion({ exp: undefined }), 'exp and iat are required'],
    ['an end that has passed', () => assertion({ iat: seconds() - 700, exp: seconds() - 100 }), 'expired'],
    ['an end in two hours', () => assertion({ exp: seconds() + 7_200 }), 'more than an hour'],
    ['a beginning in the future', () => assertion({ nbf: seconds() + 600 }), 'future'],
    ['no JWT', () => 'x.y.z', 'not a signed JWT'],
  ])('is refused with %s', async (_, make, rule) => {
    const { status, json } = await ask(make())
    expect([status, json.error]).toEqual([400, 'invalid_grant'])
    expect(json.error_description).toContain(rule)
  })

  it.each(['', 'alice', 'nobody', 'x'.repeat(300), 'robot-client', 'jwt-robot'])(
    'is refused for the client_id %s, which does not trust the issuer',
    async (clientId) => {
      const { status, json } = await ask(assertion(), clientId)
      expect([status, json.error]).toEqual([400, 'invalid_grant'])
    },
  )

  it('is refused with 503 while the keys of the issuer are unknown', async () => {
    const { json: trust } = await oauth.manage('POST', trusts, {
      ...{ issuer: `${server.url}/away`, subject: SUBJECT },
    })
    const away = ofPlatform({ iss: `${server.url}/away`, sub: SUBJECT })
    await expect.poll(async () => (await ask(away, 'jwt-robot')).status).toBe(503)
    const { json, headers } = await ask(away, 'jwt-robot')
    expect(json.error).toBe('temporarily_unavailable')
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await oauth.manage('DELETE', `${trusts}/${trust.id}`)).status).toBe(204)
  })

  it('is refused after the trust or the service user ended', async () => {
    const own = { issuer: 'urn:spiffe', subject: 'spiffe://acme/orders', keySet: { keys: [publicJwk('s1')] } }
    const { json: trust } = await oauth.manage('POST', trusts, own)
    const made = () => ask(assertion({ iss: own.issuer, sub: own.subject }, { kid: 's1' }), 'jwt-robot')
    await expect.poll(async () => (await made()).status).toBe(200)
    await oauth.manage('PATCH', '/management/v1/users/jwt-robot', { state: 'inactive' })
    await expect.poll(async () => (await made()).json.error_description).toContain('not active')
    await oauth.manage('PATCH', '/management/v1/users/jwt-robot', { state: 'active' })
    await expect.poll(async () => (await made()).status).toBe(200)
    await oauth.manage('DELETE', `${trusts}/${trust.id}`)
    await expect.poll(async () => (await made()).json.error_description).toContain('not an issuer')
  })
})

const authenticated = async (
  clientAssertion: string | Promise<string>,
  { client = 'backend-keyed', path = '/oauth/v2/token' } = {},
) => {
  const form = {
    ...{ grant_type: 'client_credentials', client_id: client, token: 'x' },
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: await clientAssertion,
  }
  return oauth.call(path, { method: 'POST', body: new URLSearchParams(form) })
}

describe('an application', () => {
  it.each([
    ['whose keys were uploaded', () => assertion()],
    ['whose keys are read by discovery', () => ofPlatform()],
  ])('authenticates with the assertion of an issuer %s, as often as it is presented', async (_, make) => {
    const value = await make()
    for (let n = 0; n < 2; n++) {
      const { status, json } = await authenticated(value)
      expect([status, json.token_type, json.error_description]).toEqual([200, 'Bearer', undefined])
    }
  })

  it('authenticates with an uploaded key set at every endpoint, and by discovery at the token service', async () => {
    const paths = ['/oauth/v2/introspect', '/oauth/v2/revoke', '/oauth/v2/par'] as const
    for (const path of paths) {
      const { json } = await authenticated(assertion(), { path })
      expect(json.error, path).not.toBe('invalid_client')
      const byDiscovery = await authenticated(ofPlatform(), { path })
      const isOfToken = path === '/oauth/v2/revoke'
      expect(byDiscovery.json.error === 'invalid_client', path).toBe(!isOfToken)
      if (!isOfToken) expect(byDiscovery.json.error_description).toContain('upload them as keySet')
    }
  })

  it('still signs its own assertions', async () => {
    const own = await new SignJWT({
      ...{ iss: 'backend-keyed', sub: 'backend-keyed', aud: oauth.system.issuer, jti: 'own' },
      ...{ iat: seconds(), exp: seconds() + 60 },
    })
      .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
      .sign(MACHINE_KEY.privateKey)
    expect((await authenticated(own)).status).toBe(200)
    expect((await authenticated(own)).json.error_description).toContain('used')
  })

  it.each<[fault: string, make: () => Promise<string>, client: string]>([
    ['another subject', () => assertion({ sub: `${SUBJECT}2` }), 'backend-keyed'],
    ['the subject of one issuer at the other', () => ofPlatform({ sub: SUBJECT }), 'backend-keyed'],
    ['the client as subject', () => assertion({ sub: 'backend-keyed' }), 'backend-keyed'],
    [
      'the client as subject and issuer',
      () => assertion({ iss: 'backend-keyed', sub: 'backend-keyed' }),
      'backend-keyed',
    ],
    [
      'the token endpoint as audience',
      () => assertion({ aud: `${oauth.system.issuer}/oauth/v2/token` }),
      'backend-keyed',
    ],
    ['a second audience', () => assertion({ aud: [oauth.system.issuer, 'x'] }), 'backend-keyed'],
    ['the signature of another key', () => assertion({}, { by: other.privateKey }), 'backend-keyed'],
    [
      'an end that has passed',
      () => assertion({ iat: seconds() - 700, exp: seconds() - 100 }),
      'backend-keyed',
    ],
    ['the client_id of an application with a secret', () => assertion(), 'backend'],
    ['the client_id of a service user', () => assertion(), 'robot-client'],
    ['a client_id that does not exist', () => assertion(), 'nobody'],
  ])('is refused with %s', async (_, make, client) => {
    const { status, json } = await authenticated(make(), { client })
    expect([status, json.error]).toEqual([401, 'invalid_client'])
  })

  it('trusts issuers by the API, and no longer within a second', async () => {
    const path = '/management/v1/applications/jwt-keyed/trusted-issuers'
    const keyed = { id: 'jwt-keyed', projectId: 'portal', clientId: 'jwt-keyed', name: 'Keyed', type: 'api' }
    const application = { ...keyed, authMethod: 'private_key_jwt', grantTypes: ['client_credentials'] }
    expect((await oauth.manage('POST', '/management/v1/applications', application)).status).toBe(201)
    const trust = {
      issuer: 'urn:spiffe',
      subject: 'spiffe://acme/orders',
      keySet: { keys: [publicJwk('s1')] },
    }
    const { status, json } = await oauth.manage('POST', path, trust)
    expect([status, json.claims]).toEqual([201, {}])
    expect((await oauth.manage('GET', path)).json.items).toMatchObject([{ id: json.id, ...trust }])
    const made = async () =>
      (
        await authenticated(assertion({ iss: trust.issuer, sub: trust.subject }, { kid: 's1' }), {
          client: 'jwt-keyed',
        })
      ).status
    await expect.poll(made).toBe(200)
    expect((await oauth.manage('DELETE', `${path}/${json.id}`)).status).toBe(204)
    expect((await oauth.manage('DELETE', `${path}/${json.id}`)).status).toBe(404)
    await expect.poll(made).toBe(401)
    const more = await Promise.all(Array.from({ length: 22 }, () => oauth.manage('POST', path, trust)))
    expect(more.filter(({ status: one }) => one === 201)).toHaveLength(20)
  })
})

describe.each([
  ['a service user', '/management/v1/users/automation/trusted-issuers', 'automation'],
  ['an application', '/management/v1/applications/backend-keyed/trusted-issuers', 'backend-keyed'],
])('the trust of %s', (_owner, path, client) => {
  const own = { issuer: `urn:${client}`, subject: 'workload' }
  const next = generateKeyPairSync('ed25519')
  const sets = {
    before: { keys: [publicJwk('s1')] },
    both: { keys: [publicJwk('s1'), { ...next.publicKey.export({ format: 'jwk' }), kid: 's2' }] },
  }
  const signed = (kid: string) =>
    new SignJWT({ iss: own.issuer, sub: own.subject, aud: oauth.system.issuer })
      .setProtectedHeader({ alg: kid === 's1' ? 'RS256' : 'EdDSA', kid })
      .setIssuedAt(seconds())
      .setExpirationTime(seconds() + 600)
      .sign(kid === 's1' ? key.privateKey : next.privateKey)
  const answers = async (kid: string) =>
    client === 'automation'
      ? (await ask(signed(kid), client)).status
      : (await authenticated(await signed(kid), { client })).status
  const created = async () => (await oauth.manage('POST', path, { ...own, keySet: sets.before })).json.id

  it('gets another key set without an interval of refusals', async () => {
    const id = await created()
    await expect.poll(() => answers('s1')).toBe(200)
    const { status, json } = await oauth.manage('PATCH', `${path}/${id}`, { keySet: sets.both })
    expect([status, json]).toMatchObject([200, { id, ...own, claims: {}, keySet: sets.both }])
    const refused: number[] = []
    await expect
      .poll(async () => {
        refused.push(await answers('s1'))
        return answers('s2')
      })
      .toBe(200)
    expect(new Set(refused)).toEqual(new Set([200]))
    await oauth.manage('DELETE', `${path}/${id}`)
  })

  it.each<[fault: string, body: object, rule: string]>([
    ['another issuer with the keys of before', { issuer: 'urn:other' }, 'keySet'],
    ['an issuer without keys and with no URL', { keySet: null }, 'must be an https URL'],
    ['a prefix without a claim', { subject: 'work*' }, 'only where claims names another claim'],
    ['nothing', {}, 'must name a field to change'],
  ])('does not become %s', async (_fault, body, rule) => {
    const id = await created()
    const { status, text } = await oauth.manage('PATCH', `${path}/${id}`, body)
    expect([status, text]).toEqual([400, expect.stringContaining(rule)])
    await oauth.manage('DELETE', `${path}/${id}`)
  })

  it('is not found by the id of another', async () => {
    expect((await oauth.manage('PATCH', `${path}/nobody`, { subject: 'x' })).status).toBe(404)
  })
})

describe('a trust is refused', () => {
  const keySet = { keys: [publicJwk('k1')] }
  it.each<[fault: string, body: object, rule: string]>([
    [
      'for every subject of an issuer',
      { issuer: CLUSTER, subject: '*', keySet },
      'only where claims names another claim',
    ],
    ['with a * inside the subject', { issuer: CLUSTER, subject: 'a*b', keySet }, 'at its end only'],
    ['without keys and with no URL', { issuer: 'cluster', subject: SUBJECT }, 'https URL'],
    ['for http of a real host', { issuer: 'http://cluster.example', subject: SUBJECT }, 'https URL'],
    ['with a query', { issuer: `${CLUSTER}?a=b`, subject: SUBJECT }, 'https URL'],
    [
      'with a private key',
      { issuer: CLUSTER, subject: SUBJECT, keySet: { keys: [key.privateKey.export({ format: 'jwk' })] } },
      'private key',
    ],
    ['without a key', { issuer: CLUSTER, subject: SUBJECT, keySet: { keys: [] } }, 'keys'],
  ])('%s', async (_, body, rule) => {
    const { status, text } = await oauth.manage('POST', trusts, body)
    expect(status).toBe(400)
    expect(text).toContain(rule)
  })

  it('for a person', async () => {
    const body = { issuer: CLUSTER, subject: SUBJECT, keySet: { keys: [publicJwk('k1')] } }
    const { status } = await oauth.manage('POST', '/management/v1/users/alice/trusted-issuers', body)
    expect(status).toBe(400)
  })

  it('beyond twenty of one service user', async () => {
    const body = { issuer: CLUSTER, subject: SUBJECT, keySet: { keys: [publicJwk('k1')] } }
    const made = await Promise.all(Array.from({ length: 22 }, () => oauth.manage('POST', trusts, body)))
    expect(made.filter(({ status }) => status === 201)).toHaveLength(20)
  })
})
