// Clients that register themselves (RFC 7591) and manage their registration (RFC 7592), docs/decisions/0101.
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { createDirectoryReader } from '@signet/directory-reader/directory-reader'
import { silentLogger } from '@signet/platform/logger/logger'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDeleteUnusedClients } from '../src/client-registration/unused-clients.service.ts'
import { ConsentStore } from '../src/consents/consent.repository.ts'
import { createManagementTransactions } from '../src/management-stores.ts'
import type { CountUse } from '../src/usage/usage.ts'
import { type ManagementFixture, managementFixture } from './management-fixture.ts'
import { exampleDirectory } from './operation-call.ts'

const DAY_MS = 86_400_000
const CALLBACK = 'https://app.example/callback'
const POLICY = {
  redirectHosts: ['app.example', '*.apps.example'],
  loopbackRedirects: true,
  authMethods: ['none', 'client_secret_basic', 'private_key_jwt'],
  mostClients: 1_000,
}

let management: ManagementFixture
let initial: string
beforeAll(async () => {
  management = await managementFixture()
  await management.directory.apply(exampleDirectory())
  management.bearers.set('owner', { roles: ['IAM_OWNER'] })
  initial = (await makeToken()).token
})
afterAll(() => management?.stop())

async function makeToken(change: object = {}): Promise<{ id: string; token: string }> {
  const made = await management.call('POST', '/projects/portal/registration-tokens', { ...POLICY, ...change })
  expect(made.status).toBe(201)
  return made.body
}

async function send(method: string, url: string, token: string | undefined, body?: unknown) {
  const response = await fetch(url, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : JSON.parse(text),
  }
}

const USUAL = { redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' }

/** Registers a client; a text is the body as it is. */
const register = (metadata: object | string = {}, token: string | undefined = initial) => {
  const body = typeof metadata === 'string' ? metadata : { ...USUAL, ...metadata }
  return send('POST', management.at('/oauth/v2/register'), token, body)
}

async function registered(metadata: object = {}, token = initial) {
  const { status, body } = await register(metadata, token)
  expect([status, body]).toMatchObject([201, {}])
  return body
}

/** Sends a request to the URI of a registration. */
const manage = (
  method: string,
  client: { client_id: string; registration_access_token: string },
  body?: object,
  token: string | undefined = client.registration_access_token,
) => send(method, management.at(`/oauth/v2/register/${client.client_id}`), token, body)

async function application(clientId: string) {
  const { body } = await management.call('GET', `/applications?clientId=${clientId}`)
  return body.items[0]
}

async function row(clientId: string) {
  const reader = createDirectoryReader({
    database: management.directory.as('signet_login'),
    logger: silentLogger,
  })
  try {
    return await reader.client(clientId)
  } finally {
    await reader.stop()
  }
}

const entries = async (id: string) =>
  (await management.call('GET', `/audit?targetId=${id}`)).body.items as readonly Record<string, unknown>[]

describe('POST /oauth/v2/register', () => {
  it('makes a public application without a secret, with PKCE and without flags of owners', async () => {
    const client = await registered({
      client_name: 'Agent',
      grant_types: ['authorization_code', 'refresh_token'],
    })
    expect(client).toMatchObject({
      ...{
        client_name: 'Agent',
        application_type: 'web',
        redirect_uris: [CALLBACK],
        response_types: ['code'],
      },
      grant_types: ['authorization_code', 'refresh_token'],
      registration_client_uri: `http://localhost:8080/oauth/v2/register/${client.client_id}`,
      registration_access_token: expect.stringMatching(/^sgcr_/),
    })
    expect(client).not.toHaveProperty('client_secret')
    expect(await row(client.client_id)).toMatchObject({
      ...{ isRegistered: true, requirePkce: true, secrets: [], projectId: 'portal', type: 'web' },
      ...{ firstParty: false, mayCallApi: false, devMode: false, pkceOptional: false, active: true },
    })
    const { id } = await application(client.client_id)
    expect(await entries(id)).toMatchObject([{ action: 'application.create', actor: { kind: 'anonymous' } }])
  })

  it('gives a secret once, of which a hash is stored', async () => {
    const client = await registered({ token_endpoint_auth_method: 'client_secret_basic' })
    expect(client).toMatchObject({
      client_secret: expect.stringMatching(/^sgcs_/),
      client_secret_expires_at: 0,
    })
    expect(JSON.stringify(await row(client.client_id))).not.toContain(client.client_secret)
    const { body } = await manage('GET', client)
    const { client_secret: _, client_secret_expires_at: __, ...rest } = client
    expect(body).toEqual(rest)
  })

  it('takes keys by value for private_key_jwt', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const jwks = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k1', key_ops: ['verify'] }] }
    const method = { token_endpoint_auth_method: 'private_key_jwt' }
    const client = await registered({ ...method, jwks })
    expect(client).toMatchObject({ jwks })
    expect(client).not.toHaveProperty('client_secret')
    expect((await row(client.client_id))?.keys).toMatchObject([{ kid: 'k1' }])
    for (const refused of [
      { ...method, jwks: { keys: [privateKey.export({ format: 'jwk' })] } },
      { ...method, jwks: { keys: [{ kty: 'oct', k: 'AAAA' }] } },
      { ...method, jwks: { keys: [...jwks.keys, ...jwks.keys] } },
      { ...method, jwks_uri: 'https://app.example/jwks' },
      method,
    ]) {
      expect(await register(refused)).toMatchObject({
        status: 400,
        body: { error: 'invalid_client_metadata' },
      })
    }
  })

  it('registers keys of request objects with a secret too, until the client leaves them out', async () => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const key = { ...publicKey.export({ format: 'jwk' }), kid: 'r1', use: 'sig', alg: 'RS256' }
    const basic = { token_endpoint_auth_method: 'client_secret_basic' }
    const client = await registered({ ...basic, jwks: { keys: [key] } })
    expect(client).toMatchObject({ client_secret: expect.any(String), jwks: { keys: [{ kid: 'r1' }] } })
    expect((await row(client.client_id))?.keys).toMatchObject([{ kid: 'r1' }])
    const { jwks: _, ...without } = client
    expect((await manage('PUT', client, without)).body).not.toHaveProperty('jwks')
    expect((await row(client.client_id))?.keys).toEqual([])
  })

  it('registers the URL at which a sign-in begins, until the client leaves it out', async () => {
    const initiate_login_uri = 'https://start.apps.example/login?tenant=1'
    const client = await registered({ initiate_login_uri })
    expect(client).toMatchObject({ initiate_login_uri })
    expect((await manage('GET', client)).body).toEqual(client)
    const { id } = await application(client.client_id)
    const stored = async () => (await management.call('GET', `/applications/${id}`)).body.initiateLoginUri
    expect(await stored()).toBe(initiate_login_uri)
    const refused = await manage('PUT', client, { ...client, initiate_login_uri: 'https://evil.example/' })
    expect([refused.status, refused.body.error]).toEqual([400, 'invalid_client_metadata'])
    expect(await stored()).toBe(initiate_login_uri)
    const { initiate_login_uri: _, ...without } = client
    expect((await manage('PUT', client, without)).body).not.toHaveProperty('initiate_login_uri')
    expect(await stored()).toBeNull()
  })

  it.each([
    ['at a host that is not allowed', 'https://evil.example/login'],
    ['with http', 'http://app.example/login'],
    ['with http at a loopback host', 'http://127.0.0.1/login'],
    ['with javascript', 'javascript:alert(1)//app.example'],
    ['with a user name', 'https://app.example@evil.example/login'],
    ['that is a number', 1],
  ])('refuses a URL that begins a sign-in %s', async (_, initiate_login_uri) => {
    const { status, body } = await register({ initiate_login_uri })
    expect([status, body.error]).toEqual([400, 'invalid_client_metadata'])
    expect(body.error_description).toContain('initiate_login_uri: ')
  })

  it('takes a loopback redirect URI as that of a native application', async () => {
    const client = await registered({ redirect_uris: ['http://127.0.0.1/callback'] })
    expect(client).toMatchObject({ application_type: 'native' })
  })

  it('takes it so where the client says that it is a web application', async () => {
    const client = await registered({ redirect_uris: ['http://localhost:7000/cb'], application_type: 'web' })
    expect(client).toMatchObject({ application_type: 'native' })
    const web = await registered({ application_type: 'web' })
    const changed = await manage('PUT', web, { ...web, redirect_uris: ['http://[::1]/cb'] })
    expect(changed.body).toMatchObject({ application_type: 'native' })
  })

  it('leaves out what it does not support, and gives a name', async () => {
    const client = await registered({
      ...{
        logo_uri: 'https://evil.example/logo.svg',
        client_uri: 'https://evil.example',
        scope: 'openid admin',
      },
      ...{
        contacts: ['a@evil.example'],
        firstParty: true,
        may_call_api: true,
        dev_mode: true,
        claim_mapping: {},
      },
      ...{ client_id: 'console', project_id: 'elsewhere', organization_id: 'partner', state: 'inactive' },
    })
    expect(client.client_name).toBe('Registered client')
    expect(client.client_id).not.toBe('console')
    expect(JSON.stringify(client)).not.toContain('evil')
    expect(await row(client.client_id)).toMatchObject({
      ...{ firstParty: false, mayCallApi: false, devMode: false, projectId: 'portal', active: true },
    })
  })

  it.each([
    ['a host that is not allowed', ['https://evil.example/callback']],
    ['the parent of an allowed domain', ['https://apps.example/callback']],
    ['a host behind a user name', ['https://app.example@evil.example/callback']],
    ['a user name at an allowed host', ['https://evil@app.example/callback']],
    ['a host that ends alike', ['https://evilapp.example/callback']],
    ['a longer host', ['https://app.example.evil.example/callback']],
    ['a fragment', [`${CALLBACK}#x`]],
    ['a wildcard', ['https://app.example/*']],
    ['a wildcard host', ['https://*.apps.example/callback']],
    ['a backslash', ['https://evil.example\\@app.example/']],
    ['javascript', ['javascript:alert(1)//app.example']],
    ['data', ['data:text/html,app.example']],
    ['a scheme of its own', ['com.example.app:/callback']],
    ['http', ['http://app.example/callback']],
    ['http at a host that begins like a loopback one', ['http://127.0.0.1.evil.example/callback']],
    ['one of two', [CALLBACK, 'https://evil.example/callback']],
    ['a number', [1]],
    ['none', []],
    ['1,000', Array.from({ length: 1_000 }, (_, at) => `${CALLBACK}/${at}`)],
  ])('refuses redirect URIs with %s', async (_, redirect_uris) => {
    const { status, body } = await register({ redirect_uris })
    expect([status, body.error]).toEqual([400, 'invalid_redirect_uri'])
    expect(body.error_description).toContain('redirect_uris')
  })

  it.each<[string, Record<string, unknown>, string?]>([
    ['client_credentials', { grant_types: ['client_credentials'] }],
    ['token exchange', { grant_types: ['urn:ietf:params:oauth:grant-type:token-exchange'] }],
    ['implicit', { grant_types: ['implicit'], response_types: ['id_token'] }],
    ['a grant type outside the policy', { grant_types: ['urn:ietf:params:oauth:grant-type:device_code'] }],
    ['a response type of tokens', { response_types: ['id_token token'] }],
    ['no response type for codes', { response_types: [] }],
    ['a method outside the policy', { token_endpoint_auth_method: 'client_secret_post' }],
    ['a certificate', { token_endpoint_auth_method: 'tls_client_auth' }],
    ['an unknown method', { token_endpoint_auth_method: 'magic' }],
    ['pairwise subjects', { subject_type: 'pairwise' }],
    ['an unknown algorithm', { id_token_signed_response_alg: 'none' }],
    ['a name of 201 characters', { client_name: 'a'.repeat(201) }],
    ['a name twice', { client_name: 'a', clientName: 'b' }],
    ['a logout URI elsewhere', { post_logout_redirect_uris: ['https://evil.example/'] }],
    ['a software statement', { software_statement: 'e30.e30.' }, 'unapproved_software_statement'],
  ])('refuses %s', async (_, metadata, error = 'invalid_client_metadata') => {
    const { status, body } = await register(metadata)
    expect([status, body.error]).toEqual([400, error])
  })

  it('refuses bodies that are large, no JSON or no object', async () => {
    expect(await register(JSON.stringify({ client_name: 'x'.repeat(1_000_000) }))).toMatchObject({
      status: 413,
    })
    for (const text of ['{', '[]', '"x"', '{"a":1,"a":2}', `{"a":${'['.repeat(40)}${']'.repeat(40)}}`]) {
      expect(await register(text), text).toMatchObject({ status: 400 })
    }
  })

  it('answers 401 without a token, and for one that it does not know', async () => {
    const none = await send('POST', management.at('/oauth/v2/register'), undefined, USUAL)
    expect([none.status, none.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="signet"'])
    const { registration_access_token: other } = await registered()
    for (const token of ['owner', 'sgit_x', other, 'a'.repeat(5_000)]) {
      const { status, headers, body } = await register({}, token)
      expect([status, body.error]).toEqual([401, 'invalid_token'])
      expect(headers.get('www-authenticate')).toContain('error="invalid_token"')
    }
    // Nor is one of these a token of the management API.
    for (const token of [initial, other]) {
      expect((await management.call('GET', '/applications', undefined, token)).status).toBe(401)
    }
  })

  it('refuses the token of an inactive organization, and one that expired', async () => {
    const brief = await makeToken({
      expiresAt: new Date(management.directory.clock.now().getTime() + 60_000),
    })
    await registered({}, brief.token)
    management.directory.clock.advance(60_000)
    expect((await register({}, brief.token)).status).toBe(401)
    await management.call('PATCH', '/organizations/acme', { state: 'inactive' })
    expect((await register()).status).toBe(401)
    await management.call('PATCH', '/organizations/acme', { state: 'active' })
    await registered()
  })

  it('lets one of several that arrive at once have the last place', async () => {
    const { token, id } = await makeToken({ mostClients: 2 })
    await registered({}, token)
    // None of them is stored before the others have counted, or wait to.
    const sent = await management.directory.owner.transaction(async (tx) => {
      await tx.query({ name: '', text: 'LOCK TABLE directory.application IN SHARE MODE' })
      const requests = Promise.all(Array.from({ length: 6 }, () => register({}, token)))
      await pause(300)
      return { requests }
    })
    const answers = await sent.requests
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 403, 403, 403, 403, 403])
    const { body } = await management.call('GET', '/projects/portal/registration-tokens?limit=100')
    expect(body.items.find((item: { id: string }) => item.id === id)).toMatchObject({ clients: 2 })
    const [last] = answers.filter(({ status }) => status === 201)
    expect((await manage('DELETE', last?.body)).status).toBe(204)
    await registered({}, token)
  })
})

describe('the registration of a client', () => {
  it('is read and changed with its own token alone', async () => {
    const [client, other] = [await registered(), await registered()]
    for (const token of [other.registration_access_token, initial, 'owner', 'x']) {
      for (const [method, body] of [
        ['GET'],
        ['PUT', { ...USUAL, client_id: client.client_id }],
        ['DELETE'],
      ] as const) {
        expect((await manage(method, client, body, token)).status, `${method} ${token}`).toBe(401)
      }
    }
    expect((await manage('GET', client)).body).toEqual(client)
    expect((await manage('GET', { ...client, client_id: 'web' })).status).toBe(401)
    expect((await send('GET', management.at('/oauth/v2/register'), initial)).status).toBe(405)
  })

  it('is that of no client where the path names no id', async () => {
    const { registration_access_token } = await registered()
    for (const client_id of ['%00', 'a%00b', '..%2f..', '%F0%9F%98%80', 'a'.repeat(5_000)]) {
      for (const [method, body] of [['GET'], ['PUT', {}], ['DELETE']] as const) {
        const { status } = await manage(method, { client_id, registration_access_token }, body)
        expect([method, client_id, status]).toEqual([method, client_id, 401])
      }
    }
  })

  it('is replaced as a whole, by the rules of its creation', async () => {
    const client = await registered({
      ...{ client_name: 'Before', dpop_bound_access_tokens: true },
      id_token_signed_response_alg: 'ES256',
    })
    const change = {
      client_id: client.client_id,
      token_endpoint_auth_method: 'none',
      redirect_uris: ['https://new.apps.example/callback'],
      client_name: null,
    }
    const { status, body } = await manage('PUT', client, change)
    expect([status, body]).toMatchObject([
      200,
      {
        ...{
          client_name: 'Registered client',
          dpop_bound_access_tokens: false,
          id_token_signed_response_alg: 'RS256',
          grant_types: ['authorization_code'],
        },
        redirect_uris: ['https://new.apps.example/callback'],
      },
    ])
    const { id } = await application(client.client_id)
    expect((await entries(id))[0]).toMatchObject({
      ...{ action: 'application.update', actor: { kind: 'client', id: client.client_id } },
    })
    for (const [widened, error] of [
      [{ redirect_uris: ['https://evil.example/callback'] }, 'invalid_redirect_uri'],
      [{ grant_types: ['client_credentials'] }, 'invalid_client_metadata'],
      [{ grant_types: ['urn:ietf:params:oauth:grant-type:device_code'] }, 'invalid_client_metadata'],
      [{ token_endpoint_auth_method: 'client_secret_basic' }, 'invalid_client_metadata'],
      [{ client_id: 'web' }, 'invalid_client_metadata'],
      [{ client_secret: 'chosen-by-the-client-1' }, 'invalid_client_metadata'],
    ] as const) {
      const refused = await manage('PUT', client, { ...change, ...widened })
      expect([refused.status, refused.body.error], JSON.stringify(widened)).toEqual([400, error])
    }
    expect((await row(client.client_id))?.secrets).toEqual([])
    expect((await manage('GET', client)).body).toEqual(body)
  })

  it('takes its own secret in a change, and no other', async () => {
    const client = await registered({ token_endpoint_auth_method: 'client_secret_basic' })
    expect((await manage('PUT', client, client)).status).toBe(200)
    expect(
      (await manage('PUT', client, { ...client, client_secret: `${client.client_secret}x` })).status,
    ).toBe(400)
  })

  it('replaces the keys', async () => {
    const key = (kid: string) => ({
      ...generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }),
      kid,
    })
    const method = { token_endpoint_auth_method: 'private_key_jwt' }
    const client = await registered({ ...method, jwks: { keys: [key('a'), key('b')] } })
    const jwks = { keys: [key('c')] }
    const { body } = await manage('PUT', client, { ...USUAL, ...method, client_id: client.client_id, jwks })
    expect(body.jwks).toEqual(jwks)
    expect((await row(client.client_id))?.keys).toMatchObject([{ kid: 'c' }])
  })

  it('is read and deleted but not changed when the initial access token was revoked', async () => {
    const { id, token } = await makeToken()
    const client = await registered({}, token)
    expect((await management.call('DELETE', `/projects/portal/registration-tokens/${id}`)).status).toBe(204)
    expect((await management.call('DELETE', `/projects/portal/registration-tokens/${id}`)).status).toBe(404)
    expect((await register({}, token)).status).toBe(401)
    const changed = await manage('PUT', client, client)
    expect([changed.status, changed.body.error]).toEqual([403, 'access_denied'])
    expect((await manage('GET', client)).status).toBe(200)
    management.published.splice(0)
    expect((await manage('DELETE', client)).status).toBe(204)
    expect(management.published).toEqual([[`CLIENT ${client.client_id} 1`]])
    expect((await manage('GET', client)).status).toBe(401)
    expect(await row(client.client_id)).toBeUndefined()
  })

  it('is not changed while the application is inactive, and never makes it active', async () => {
    const client = await registered()
    const { id } = await application(client.client_id)
    await management.call('PATCH', `/applications/${id}`, { state: 'inactive' })
    expect((await manage('PUT', client, client)).status).toBe(403)
    expect(await row(client.client_id)).toMatchObject({ active: false })
  })

  it('loses firstParty when the client changes who gets its tokens', async () => {
    const client = await registered()
    const { id } = await application(client.client_id)
    await management.call('PATCH', `/applications/${id}`, { firstParty: true })
    const moved = { ...client, redirect_uris: ['https://other.apps.example/callback'] }
    expect((await manage('PUT', client, moved)).status).toBe(200)
    expect(await row(client.client_id)).toMatchObject({ firstParty: false })
    await management.call('PATCH', `/applications/${id}`, { mayCallApi: true })
    expect((await manage('PUT', client, client)).status).toBe(403)
  })
})

describe('a client that no person uses', () => {
  const none = { sessions: 0, users: 0, applications: 0, refreshFamilies: 0, hasMore: false }
  const runWith = (countUse: CountUse, tokenDays: ReadonlyMap<string, number> = new Map()) => {
    const { directory } = management
    return createDeleteUnusedClients({
      transact: createManagementTransactions(directory.owner, {
        masterKeys: directory.masterKeys,
        random: randomBytes,
      }),
      publishEndings: async () => undefined,
      countUse,
      findLastUse: async () => tokenDays,
      now: directory.clock.now,
    })()
  }
  const agree = (clientId: string) =>
    new ConsentStore(management.directory.owner).add(
      { userId: 'alice', clientId, scopes: ['openid'] },
      {
        at: management.directory.clock.now(),
        event: { actor: { kind: 'human', id: 'alice' }, action: 'consent.grant', result: 'success' },
        before: async () => undefined,
      },
    )

  it('is deleted after the days of its token, with an event, by one of two replicas', async () => {
    const { token } = await makeToken({ unusedDays: 3, expiresAt: undefined })
    const client = await registered({}, token)
    const { id } = await application(client.client_id)
    management.directory.clock.advance(3 * DAY_MS - 1_000)
    await runWith(async () => none)
    expect(await row(client.client_id)).toBeDefined()
    management.directory.clock.advance(1_000)
    const counts = await Promise.all([runWith(async () => none), runWith(async () => none)])
    expect(counts.toSorted()).toEqual([0, 1])
    expect(await row(client.client_id)).toBeUndefined()
    expect((await entries(id))[0]).toMatchObject({
      ...{ action: 'application.delete', actor: { kind: 'service' }, details: { unused_days: 3 } },
    })
  })

  it('is kept while a person has a session or a refresh token of it, and looked at again later', async () => {
    const { token } = await makeToken({ unusedDays: 3 })
    const client = await registered({}, token)
    await agree(client.client_id)
    const asked: unknown[] = []
    for (const use of [{ sessions: 1 }, { refreshFamilies: 1 }]) {
      management.directory.clock.advance(3 * DAY_MS)
      await runWith(async (...question) => {
        asked.push(question)
        return { ...none, ...use }
      })
      expect(await row(client.client_id)).toBeDefined()
      await runWith(async () => none)
      expect(await row(client.client_id)).toBeDefined()
    }
    expect(asked).toEqual([
      ['user', ['alice'], [client.client_id]],
      ['user', ['alice'], [client.client_id]],
    ])
    management.directory.clock.advance(3 * DAY_MS)
    await runWith(async () => none)
    expect(await row(client.client_id)).toBeUndefined()
  })

  it('counts a consent as use on its day', async () => {
    const { token } = await makeToken({ unusedDays: 3 })
    const client = await registered({}, token)
    management.directory.clock.advance(2 * DAY_MS)
    await agree(client.client_id)
    management.directory.clock.advance(2 * DAY_MS)
    await runWith(async () => none)
    expect(await row(client.client_id)).toBeDefined()
    management.directory.clock.advance(1 * DAY_MS)
    await runWith(async () => none)
    expect(await row(client.client_id)).toBeUndefined()
  })

  it('counts a later consent to the same scopes as use on its day', async () => {
    const { token } = await makeToken({ unusedDays: 3 })
    const client = await registered({}, token)
    await agree(client.client_id)
    management.directory.clock.advance(2 * DAY_MS)
    await agree(client.client_id)
    management.directory.clock.advance(2 * DAY_MS)
    await runWith(async () => none)
    expect(await row(client.client_id)).toBeDefined()
    management.directory.clock.advance(1 * DAY_MS)
    await runWith(async () => none)
    expect(await row(client.client_id)).toBeUndefined()
  })

  it('is allowed again after it answers at another place or has another name', async () => {
    const client = await registered({ client_name: 'Reports' })
    const consents = new ConsentStore(management.directory.owner)
    const allowed = () => consents.scopes('alice', client.client_id)
    await agree(client.client_id)
    const body = { ...USUAL, client_id: client.client_id, client_name: 'Reports' }
    const changes = [
      [{}, ['openid']],
      [{ client_name: 'Company VPN' }, []],
      [{ client_name: 'Company VPN', redirect_uris: [CALLBACK, `${CALLBACK}/other`] }, []],
      // One redirect URI less is no other place.
      [{ client_name: 'Company VPN' }, ['openid']],
    ] as const
    for (const [change, left] of changes) {
      management.directory.clock.advance(1_000)
      expect((await manage('PUT', client, { ...body, ...change })).status).toBe(200)
      expect(await allowed()).toEqual(left)
      management.directory.clock.advance(1_000)
      await agree(client.client_id)
      expect(await allowed()).toEqual(['openid'])
    }
  })

  it('is kept while the token service is away', async () => {
    const { token } = await makeToken({ unusedDays: 1 })
    const client = await registered({}, token)
    await agree(client.client_id)
    management.directory.clock.advance(1 * DAY_MS)
    await expect(runWith(() => Promise.reject(new Error('away')))).rejects.toThrow('away')
    expect(await row(client.client_id)).toBeDefined()
  })

  it('is kept while it gets tokens each day, and deleted when that is longer ago than its days', async () => {
    const { token } = await makeToken({ unusedDays: 30 })
    const client = await registered({}, token)
    await agree(client.client_id)
    const days = new Map<string, number>()
    const today = () => Math.floor(management.directory.clock.now().getTime() / DAY_MS)
    for (let day = 0; day < 365; day++) {
      management.directory.clock.advance(DAY_MS)
      days.set(client.client_id, today())
      if (day % 10 === 9) await runWith(async () => none, days)
    }
    expect(await row(client.client_id)).toBeDefined()
    // The job found it in use today; it looks again when its days have passed.
    management.directory.clock.advance(29 * DAY_MS)
    await runWith(async () => none, days)
    expect(await row(client.client_id)).toBeDefined()
    management.directory.clock.advance(2 * DAY_MS)
    await runWith(async () => none, days)
    expect(await row(client.client_id)).toBeUndefined()
  })
})

describe('initial access tokens', () => {
  it('are listed without their value', async () => {
    const { token, id } = await makeToken({ mostClients: 1 })
    const { body } = await management.call('GET', '/projects/portal/registration-tokens?limit=100')
    expect(body.items.some((item: { id: string }) => item.id === id)).toBe(true)
    expect(JSON.stringify(body)).not.toContain(token)
  })

  it.each([
    ['no host and no loopback', { redirectHosts: [], loopbackRedirects: false }],
    ['a host with a scheme', { redirectHosts: ['https://app.example'] }],
    ['every host', { redirectHosts: ['*'] }],
    ['every host of a top-level domain', { redirectHosts: ['*.com'] }],
    ['client_credentials', { grantTypes: ['client_credentials'] }],
    ['a certificate', { authMethods: ['tls_client_auth'] }],
    ['an end in the past', { expiresAt: '2020-01-01T00:00:00Z' }],
    ['an end in a thousand years', { expiresAt: '3020-01-01T00:00:00Z' }],
  ])('with %s are refused', async (_, change) => {
    const made = await management.call('POST', '/projects/portal/registration-tokens', {
      ...POLICY,
      ...change,
    })
    expect(made.status).toBe(400)
  })
})

describe('a refused registration', () => {
  const refusalsOf = async (response: { headers: Headers }, bearer = 'owner') => {
    const requestId = response.headers.get('x-request-id') ?? ''
    return (await management.call('GET', `/refusals?requestId=${requestId}`, undefined, bearer)).body.items
  }

  it('is kept with the initial access token, for people who read its project alone', async () => {
    const { id, token } = await makeToken({ mostClients: 1 })
    const elsewhere = { ...USUAL, redirect_uris: ['https://other.example/callback'] }
    const refused = await send('POST', management.at('/oauth/v2/register'), token, elsewhere)
    expect(refused.status).toBe(400)
    await expect.poll(() => refusalsOf(refused)).toHaveLength(1)
    expect(await refusalsOf(refused)).toMatchObject([
      {
        ...{ service: 'directory', result: 'refused', reason: 'client_metadata_invalid', clientId: id },
        organizationId: 'acme',
        values: { members: expect.stringContaining('redirect_uris') },
        cause: expect.stringContaining('policy'),
      },
    ])
    management.bearers.set('portal-owner', { userId: 'c', roles: ['PROJECT_OWNER portal'] })
    management.bearers.set('stranger', { userId: 'd', roles: ['ORG_OWNER elsewhere'] })
    expect(await refusalsOf(refused, 'portal-owner')).toHaveLength(1)
    expect(await refusalsOf(refused, 'stranger')).toEqual([])
    await registered({}, token)
    const full = await send('POST', management.at('/oauth/v2/register'), token, USUAL)
    await expect.poll(() => refusalsOf(full)).toMatchObject([{ reason: 'registrations_exhausted' }])
  })

  it('is kept with the client that changes itself, and not at all without a token that exists', async () => {
    const { token } = await makeToken()
    const client = await registered({}, token)
    const unknown = await send('POST', management.at('/oauth/v2/register'), 'unknown', USUAL)
    expect(unknown.status).toBe(401)
    const refused = await manage('PUT', client, {
      ...USUAL,
      client_id: client.client_id,
      redirect_uris: ['x'],
    })
    expect(refused.status).toBe(400)
    await expect.poll(() => refusalsOf(refused)).toMatchObject([{ clientId: client.client_id }])
    expect(await refusalsOf(unknown)).toEqual([])
  })

  it('is counted and not kept beyond 20 a second of one token', async () => {
    const { id, token } = await makeToken()
    const statement = { ...USUAL, software_statement: 'x' }
    for (let sent = 0; sent < 25; sent++)
      await send('POST', management.at('/oauth/v2/register'), token, statement)
    const kept = async () =>
      (await management.call('GET', `/refusals?application=${id}&limit=100`)).body.items.length
    await expect.poll(kept).toBeGreaterThan(0)
    expect(await kept()).toBeLessThanOrEqual(40)
  })
})

it('clients register only where the instance says so', async () => {
  const off = await managementFixture({ clientRegistration: false })
  try {
    await off.directory.apply(exampleDirectory())
    off.bearers.set('owner', { roles: ['IAM_OWNER'] })
    const made = await off.call('POST', '/projects/portal/registration-tokens', POLICY)
    expect([made.status, made.body.details[0].id]).toEqual([400, 'client_registration_off'])
    expect((await send('POST', off.at('/oauth/v2/register'), initial, USUAL)).status).toBe(404)
    expect((await send('GET', off.at('/oauth/v2/register/x'), initial)).status).toBe(404)
  } finally {
    await off.stop()
  }
})

it('a network makes a bounded number of requests in a second', async () => {
  const limited = await managementFixture({ callsPerSecond: 2 })
  try {
    const ask = () => send('GET', limited.at('/oauth/v2/register/x'), 'sgcr_x')
    expect([(await ask()).status, (await ask()).status]).toEqual([401, 401])
    const { status, headers, body } = await ask()
    expect([status, headers.get('retry-after'), body.error]).toEqual([429, '1', 'temporarily_unavailable'])
    limited.directory.clock.advance(1_000)
    expect((await ask()).status).toBe(401)
  } finally {
    await limited.stop()
  }
})
