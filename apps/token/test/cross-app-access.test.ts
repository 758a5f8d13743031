// Identity Assertion JWT Authorization Grant between two Signets, and with an issuer of a test (docs/decisions/0106).
import { generateKeyPairSync, type JsonWebKey, randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { rpcClient } from '@signet/grpc/client'
import { GrantService } from '@signet/grpc/gen/token/v1/grant_service_pb'
import { startHttpServer } from '@signet/testing/http-server'
import { application, oauthDirectory, resourceServer } from '@signet/testing/system/oauth-directory'
import {
  type Credentials,
  createOAuthEnvironment,
  createOAuthEnvironments,
  type OAuthEnvironment,
} from '@signet/testing/system/oauth-environment'
import { startSystem } from '@signet/testing/system/start-system'
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'
const TYPE = 'urn:ietf:params:oauth:token-type:'
const ID_JAG = `${TYPE}id-jag`
const TYP = 'oauth-id-jag+jwt'
const API_URI = 'https://chat.example/api'
const OWNER = 'urn:service:iam:user:resourceowner'

const key = generateKeyPairSync('rsa', { modulusLength: 2048 })
const other = generateKeyPairSync('rsa', { modulusLength: 2048 })
const publicJwk = (kid: string): JsonWebKey => ({ ...key.publicKey.export({ format: 'jwk' }), kid })

const partner = { requests: 0 }
let server: Awaited<ReturnType<typeof startHttpServer>>
/** The Signet where people sign in, and the one whose APIs the application calls for them. */
let home: OAuthEnvironment
let away: OAuthEnvironment
let awayReplicas: readonly OAuthEnvironment[]

/** Starts an issuer whose key is that of this test. */
async function startIssuer() {
  const issuer = await startHttpServer((req, res) => {
    partner.requests++
    const documents: Readonly<Record<string, object>> = {
      '/.well-known/openid-configuration': { issuer: issuer.url, jwks_uri: `${issuer.url}/keys` },
      '/keys': { keys: [publicJwk('p1')] },
    }
    res.setHeader('content-type', 'application/json').end(JSON.stringify(documents[req.url ?? ''] ?? {}))
  })
  return issuer
}

beforeAll(async () => {
  server = await startIssuer()
  const atHome = oauthDirectory()
  atHome.organizations?.[0]?.projects?.[0]?.applications?.push(
    application('wiki', { grantTypes: ['authorization_code', 'refresh_token', EXCHANGE] }),
    application('notes', { grantTypes: ['authorization_code', EXCHANGE] }),
  )
  home = createOAuthEnvironment(await startSystem({ mode: 'in-process', document: atHome }))
  const atAway = oauthDirectory()
  const [acme] = atAway.organizations ?? []
  acme?.projects?.push({
    id: 'chat',
    name: 'Chat',
    resourceUri: API_URI,
    applications: [
      application('wiki-at-chat', { grantTypes: [JWT_BEARER], firstParty: false }),
      application('second-at-chat', { grantTypes: [JWT_BEARER], firstParty: false }),
      resourceServer('api-chat'),
      application('plain-at-chat', { grantTypes: ['authorization_code'] }),
      application('first-party-at-chat', { grantTypes: [JWT_BEARER] }),
    ],
  })
  acme?.projects
    ?.find(({ id }) => id === 'checked')
    ?.applications?.push(application('wiki-at-checked', { grantTypes: [JWT_BEARER], firstParty: false }))
  const system = await startSystem({ mode: 'in-process', document: atAway, replicas: 2 })
  awayReplicas = createOAuthEnvironments(system)
  away = awayReplicas[0] as OAuthEnvironment
  for (const issuer of [server.url, home.system.issuer]) await provide(issuer)
  await link(providers.get(server.url) ?? '', 'p-alice', 'alice')
  await link(providers.get(home.system.issuer) ?? '', 'alice', 'bob')
  await allowWiki({ clientId: 'wiki-at-chat', scopes: ['profile', OWNER] })
  await home.manage('PUT', '/v2/features/instance', { oidcTokenExchange: true })
  await vi.waitFor(async () => expect((await ask(await idToken())).status).toBe(200), 5_000)
}, 90_000)
afterAll(async () => {
  await home?.system.stop()
  await away?.system.stop()
  await server?.stop()
})

/** Ids by issuer. */
const providers = new Map<string, string>()

async function provide(issuer: string, organizationId = 'acme'): Promise<void> {
  const body = {
    organizationId,
    name: 'Partner',
    issuer,
    clientId: 'signet',
    clientSecret: 'x',
    scopes: ['openid'],
  }
  const made = await away.manage('POST', '/management/v1/identity-providers', {
    ...body,
    crossAppAccess: true,
  })
  expect([made.status, made.json]).toMatchObject([201, { crossAppAccess: true }])
  providers.set(issuer, String(made.json.id))
}

async function link(providerId: string, subject: string, userId: string): Promise<string> {
  const path = `/management/v1/users/${userId}/identity-links`
  const made = await away.manage('POST', path, { providerId, subject })
  expect(made.status).toBe(201)
  return String(made.json.id)
}

async function allowWiki(target: object): Promise<void> {
  const crossAppAccess = { [away.system.issuer]: target }
  const changed = await home.manage('PATCH', '/management/v1/applications/wiki', { crossAppAccess })
  expect([changed.status, changed.json.crossAppAccess]).toEqual([200, crossAppAccess])
}

const seconds = () => Math.floor(away.system.clock.now().getTime() / 1000)

interface Signing {
  readonly typ?: string
  readonly by?: typeof key.privateKey
}

/** An assertion of the issuer of this test about its person `p-alice`. */
const assertion = (claims: object = {}, { typ = TYP, by = key.privateKey }: Signing = {}): Promise<string> =>
  new SignJWT({
    ...{
      iss: server.url,
      sub: 'p-alice',
      aud: away.system.issuer,
      client_id: 'wiki-at-chat',
      jti: randomUUID(),
    },
    ...{ iat: seconds(), exp: seconds() + 300, scope: 'profile' },
    ...claims,
  })
    .setProtectedHeader({ alg: 'RS256', kid: 'p1', typ })
    .sign(by)

const present = (
  text: string,
  form: Record<string, string> = {},
  from: Credentials = { basic: 'wiki-at-chat' },
  at = away,
) => at.token({ grant_type: JWT_BEARER, assertion: text, ...form }, from)

const REFUSED = (rule: string) => [
  400,
  { error: 'invalid_grant', error_description: expect.stringContaining(rule) },
]

/** An ID token of a fresh sign-in of alice at the wiki. */
const idToken = async (
  sid: string = randomUUID(),
  { clientId = 'wiki', userId = 'alice' } = {},
): Promise<string> =>
  String((await home.tokens({ clientId, userId, sid, scope: 'openid profile' })).json.id_token)

const ask = (subject: string, form: Record<string, string> = {}, from: Credentials = { basic: 'wiki' }) =>
  home.token(
    {
      ...{ grant_type: EXCHANGE, requested_token_type: ID_JAG, audience: away.system.issuer },
      ...{ subject_token: subject, subject_token_type: `${TYPE}id_token` },
      ...form,
    },
    from,
  )

/** The service behind the account page, on which people see and end the access of applications. */
const grantsAt = ({ network }: OAuthEnvironment) =>
  rpcClient(GrantService, network.transport('login', 'token'))

const listGrants = async (at: OAuthEnvironment, userId: string) =>
  (await grantsAt(at).listGrants({ userId }, { timeoutMs: 5_000 })).grants

const endGrants = (at: OAuthEnvironment, userId: string, clientId: string) =>
  grantsAt(at).endGrants({ userId, clientId, clientAddress: '' }, { timeoutMs: 5_000 })

/** Tokens of a fresh sign-in of alice at the wiki, with a refresh token. */
const offline = async (sid: string = randomUUID(), scope = 'openid profile offline_access') =>
  (await home.tokens({ clientId: 'wiki', sid, scope })).json

const askByRefresh = (token: unknown, from?: Credentials) =>
  ask(String(token), { subject_token_type: `${TYPE}refresh_token` }, from)

describe('between two Signets', () => {
  it('an application calls an API of the other one for a person who signed in at the first', async () => {
    const issued = await ask(await idToken(), { scope: 'profile', resource: API_URI })
    expect([issued.status, issued.json]).toMatchObject([
      200,
      { issued_token_type: ID_JAG, token_type: 'N_A', expires_in: 300, scope: 'profile' },
    ])
    const text = String(issued.json.access_token)
    expect(decodeProtectedHeader(text)).toMatchObject({ typ: TYP })
    expect(decodeJwt(text)).toMatchObject({
      ...{ iss: home.system.issuer, sub: 'alice', aud: away.system.issuer, client_id: 'wiki-at-chat' },
      ...{ scope: 'profile', resource: API_URI, amr: ['pwd'], auth_time: expect.any(Number) },
    })
    const answer = await present(text)
    expect([answer.status, answer.json]).toMatchObject([
      200,
      { token_type: 'Bearer', scope: expect.stringContaining('profile') },
    ])
    expect(answer.json.expires_in).toBeLessThanOrEqual(600)
    expect(Object.keys(answer.json)).not.toContain('refresh_token')
    expect(Object.keys(answer.json)).not.toContain('id_token')
    const seen = await away.introspect(answer.json.access_token, { basic: 'api-chat' })
    expect(seen.json).toMatchObject({
      active: true,
      sub: 'bob',
      client_id: 'wiki-at-chat',
      aud: ['chat', API_URI],
    })
  })

  it('discovery names both ends while they are in use', async () => {
    const documentOf = async (of: OAuthEnvironment) =>
      (await of.call('/.well-known/openid-configuration')).json
    await expect
      .poll(() => documentOf(home))
      .toMatchObject({ identity_chaining_requested_token_types_supported: [ID_JAG] })
    expect(Object.keys(await documentOf(home))).not.toContain('authorization_grant_profiles_supported')
    await expect
      .poll(() => documentOf(away))
      .toMatchObject({
        authorization_grant_profiles_supported: ['urn:ietf:params:oauth:grant-profile:id-jag'],
      })
    expect(Object.keys(await documentOf(away))).not.toContain(
      'identity_chaining_requested_token_types_supported',
    )
  })
})

describe('an assertion is issued', () => {
  it('with the scopes of the policy where the request names none', async () => {
    expect((await ask(await idToken())).json.scope).toBe(`profile ${OWNER}`)
  })

  it.each([
    ['a wider scope', { scope: 'profile email' }, 'invalid_scope'],
    ['another authorization server', { audience: 'https://other.example' }, 'invalid_target'],
    ['a member of every object as audience', { audience: 'constructor' }, 'invalid_target'],
    ['no audience', { audience: '' }, 'invalid_target'],
    ['a resource that is no URI', { resource: 'api' }, 'invalid_target'],
    ['an actor', { actor_token: 'x', actor_token_type: `${TYPE}access_token` }, 'invalid_request'],
    ['another type of subject token', { subject_token_type: `${TYPE}access_token` }, 'invalid_request'],
    ['authorization details', { authorization_details: '[]' }, 'invalid_authorization_details'],
  ] as const)('for no request with %s', async (_, form, error) => {
    const answer = await ask(await idToken(), form)
    expect([answer.status, answer.json.error]).toEqual([400, error])
  })

  it('for no ID token of another client, and for no application without the policy', async () => {
    expect((await ask(await idToken(randomUUID(), { clientId: 'web' }))).json.error).toBe('invalid_request')
    const answer = await ask(await idToken(randomUUID(), { clientId: 'notes' }), {}, { basic: 'notes' })
    expect(answer.json.error).toBe('invalid_target')
  })

  it('for no session that ended, and for no person who is not active', async () => {
    const sid = randomUUID()
    const subject = await idToken(sid)
    expect((await ask(subject)).status).toBe(200)
    await home.logout(sid)
    expect((await ask(subject)).json).toMatchObject({ error: 'invalid_request' })
    const later = await idToken(randomUUID(), { userId: 'boss' })
    expect((await ask(later)).status).toBe(200)
    await home.manage('PATCH', '/management/v1/users/boss', { state: 'inactive' })
    expect((await ask(later)).json).toMatchObject({ error: 'invalid_request' })
  })

  it('for no ID token after the person ended the access of the client', async () => {
    const subject = await idToken(randomUUID(), { userId: 'bob' })
    expect((await ask(subject)).status).toBe(200)
    await endGrants(home, 'bob', 'wiki')
    expect((await ask(subject)).json).toMatchObject({ error: 'invalid_request' })
  })

  it('for a refresh token, which it does not replace', async () => {
    const { refresh_token } = await offline()
    const issued = await askByRefresh(refresh_token)
    expect([issued.status, issued.json]).toMatchObject([200, { issued_token_type: ID_JAG, expires_in: 300 }])
    expect(decodeJwt(String(issued.json.access_token))).toMatchObject({
      ...{ iss: home.system.issuer, sub: 'alice', aud: away.system.issuer, client_id: 'wiki-at-chat' },
      ...{ amr: ['pwd'], auth_time: expect.any(Number) },
    })
    expect((await present(String(issued.json.access_token))).status).toBe(200)
    expect((await askByRefresh(refresh_token)).status).toBe(200)
    expect((await home.refresh(refresh_token, {}, { basic: 'wiki' })).status).toBe(200)
  })

  it('for no copy of a refresh token, which ends its family', async () => {
    const { refresh_token: first } = await offline()
    const { refresh_token: second } = (await home.refresh(first, {}, { basic: 'wiki' })).json
    expect((await askByRefresh(second)).status).toBe(200)
    expect((await askByRefresh(first)).json).toMatchObject({ error: 'invalid_request' })
    expect((await askByRefresh(second)).json).toMatchObject({ error: 'invalid_request' })
    expect((await home.refresh(second, {}, { basic: 'wiki' })).status).toBe(400)
  })

  it('for no refresh token that was revoked, is of another client, or was granted without openid', async () => {
    const { refresh_token } = await offline()
    expect((await askByRefresh(refresh_token, { basic: 'notes' })).status).toBe(400)
    expect((await home.revoke(refresh_token, { basic: 'wiki' })).status).toBe(200)
    const withoutOpenid = await offline(randomUUID(), 'profile offline_access')
    for (const token of [refresh_token, withoutOpenid.refresh_token, 'rt']) {
      expect((await askByRefresh(token)).json).toMatchObject({ error: 'invalid_request' })
    }
  })

  it('for no refresh token after the end of its session, also where the refresh token outlives it', async () => {
    const setSurvival = (refreshTokensSurviveLogout: boolean) =>
      home.manage('PATCH', '/management/v1/applications/wiki', { refreshTokensSurviveLogout })
    expect((await setSurvival(true)).status).toBe(200)
    const sid = randomUUID()
    const { refresh_token } = await offline(sid)
    expect((await askByRefresh(refresh_token)).status).toBe(200)
    await home.logout(sid)
    expect((await askByRefresh(refresh_token)).json).toMatchObject({ error: 'invalid_request' })
    expect((await home.refresh(refresh_token, {}, { basic: 'wiki' })).status).toBe(200)
    expect((await setSurvival(false)).status).toBe(200)
  })

  it('for no refresh token of an application that may not refresh any more', async () => {
    const { refresh_token } = await offline()
    const setTypes = (...grantTypes: string[]) =>
      home.manage('PATCH', '/management/v1/applications/wiki', { grantTypes })
    expect((await setTypes('authorization_code', EXCHANGE)).status).toBe(200)
    await expect
      .poll(async () => (await askByRefresh(refresh_token)).json)
      .toMatchObject({ error: 'invalid_request' })
    expect((await setTypes('authorization_code', 'refresh_token', EXCHANGE)).status).toBe(200)
  })

  it('and is no ID token, access token or client assertion', async () => {
    const text = String((await ask(await idToken())).json.access_token)
    expect((await ask(text)).json.error).toBe('invalid_request')
    expect((await home.userinfo(text)).status).toBe(401)
    expect((await home.introspect(text)).json).toEqual({ active: false })
    const asClient = {
      client_assertion: text,
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    }
    expect((await home.token({ grant_type: 'client_credentials', ...asClient }, { form: {} })).status).toBe(
      401,
    )
    expect((await home.token({ grant_type: JWT_BEARER, assertion: text }, { basic: 'wiki' })).status).toBe(
      400,
    )
  })
})

describe('an assertion of another issuer', () => {
  it('counts once, at all replicas together', async () => {
    const text = await assertion()
    const answers = await Promise.all(
      awayReplicas.flatMap((at) => [present(text, {}, undefined, at), present(text, {}, undefined, at)]),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400])
    const again = await present(text)
    expect([again.status, again.json]).toMatchObject(REFUSED('used before'))
  })

  it.each([
    ['for another audience', { aud: 'https://other.example' }, 'aud must be'],
    ['for several audiences', () => ({ aud: [away.system.issuer, 'https://other.example'] }), 'aud must be'],
    ['for another client', { client_id: 'second-at-chat' }, 'client_id is not that'],
    ['without a client', { client_id: undefined }, 'client_id and jti are required'],
    ['without a jti', { jti: undefined }, 'client_id and jti are required'],
    ['of an issuer that no provider names', { iss: 'https://unknown.example' }, 'iss is not the issuer'],
    ['of Signet itself', () => ({ iss: away.system.issuer }), 'its own identity assertions'],
    ['about a person without a link', { sub: 'p-nobody' }, 'no person is linked'],
    [
      'about the address of a person',
      { sub: 'alice@acme.localhost', email: 'alice@acme.localhost' },
      'no person is linked',
    ],
    ['that expired', () => ({ iat: seconds() - 900, exp: seconds() - 600 }), 'expired'],
    ['that lives a day', () => ({ exp: seconds() + 86_400 }), 'more than an hour'],
  ] as const)('%s is refused', async (_, claims, rule) => {
    const answer = await present(await assertion(typeof claims === 'function' ? claims() : claims))
    expect([answer.status, answer.json]).toMatchObject(REFUSED(rule))
  })

  it('is refused with another key, another type, and as anything else', async () => {
    expect((await present(await assertion({}, { by: other.privateKey }))).json.error_description).toContain(
      'signature',
    )
    const asIdToken = await present(await assertion({}, { typ: 'JWT' }))
    expect(asIdToken.json.error).toBe('invalid_grant')
    expect((await present(await assertion(), {}, { form: { client_id: 'wiki-at-chat' } })).status).toBe(401)
    expect(
      (await present(await assertion({ client_id: 'plain-at-chat' }), {}, { basic: 'plain-at-chat' })).json
        .error,
    ).toBe('unauthorized_client')
  })

  it('gives the scopes that it has and Signet knows, and no more than asked for', async () => {
    const wide = await assertion({ scope: 'openid profile email offline_access chat.read' })
    const { json } = await present(wide)
    expect(json.scope).toBe('profile email')
    const narrow = await assertion({ scope: 'profile email' })
    expect((await present(narrow, { scope: 'email' })).json.scope).toBe('email')
    const wider = await present(await assertion({ scope: 'profile' }), { scope: 'profile email' })
    expect(wider.json.error).toBe('invalid_scope')
    const api = await present(await assertion({ scope: 'urn:zitadel:iam:org:project:id:zitadel:aud' }))
    expect(api.status).toBe(400)
  })

  it('gives the APIs that it names', async () => {
    const unknown = await present(await assertion({ resource: 'https://unknown.example' }))
    expect(unknown.json.error).toBe('invalid_target')
    const beyond = await present(await assertion({ resource: API_URI }), {
      resource: 'https://other.example',
    })
    expect(beyond.json.error).toBe('invalid_target')
    expect((await present(await assertion({ resource: [API_URI] }))).status).toBe(200)
  })

  it('gives nothing to a person whom the project of the client does not let in, for another API too', async () => {
    const forChecked = async (sub: string) =>
      present(
        await assertion({ sub, client_id: 'wiki-at-checked', resource: API_URI }),
        {},
        {
          basic: 'wiki-at-checked',
        },
      )
    expect((await forChecked('p-alice')).status).toBe(200)
    const id = await link(providers.get(server.url) ?? '', 'p-bob', 'bob')
    expect((await forChecked('p-bob')).json).toMatchObject({ error: 'access_denied' })
    await away.manage('DELETE', `/management/v1/users/bob/identity-links/${id}?force=true`)
  })

  it('is refused where it fits people of several organizations that the client serves', async () => {
    const elsewhere = await startIssuer()
    for (const [organizationId, userId] of [
      ['acme', 'alice'],
      ['beta', 'carol'],
    ] as const) {
      await provide(elsewhere.url, organizationId)
      await link(providers.get(elsewhere.url) ?? '', 'p-both', userId)
    }
    const of = async (client: string) =>
      present(
        await assertion({ iss: elsewhere.url, sub: 'p-both', client_id: client }),
        {},
        { basic: client },
      )
    const answer = await of('first-party-at-chat')
    expect([answer.status, answer.json]).toMatchObject(REFUSED('people of several organizations'))
    const { json } = await of('wiki-at-chat')
    expect((await away.introspect(json.access_token, { basic: 'api-chat' })).json.sub).toBe('alice')
    await elsewhere.stop()
  })

  it('counts for a person whom two providers of the organization know', async () => {
    const elsewhere = await startIssuer()
    for (let provider = 0; provider < 2; provider++) {
      await provide(elsewhere.url)
      await link(providers.get(elsewhere.url) ?? '', 'p-twice', 'alice')
    }
    expect((await present(await assertion({ iss: elsewhere.url, sub: 'p-twice' }))).status).toBe(200)
    await elsewhere.stop()
  })

  it('is refused while its keys are unknown and its issuer is away, with Retry-After', async () => {
    const elsewhere = await startHttpServer((_req, res) => void res.writeHead(500).end())
    await provide(elsewhere.url)
    const answer = await present(await assertion({ iss: elsewhere.url }))
    expect([answer.status, answer.json.error]).toEqual([503, 'temporarily_unavailable'])
    expect(answer.headers.get('retry-after')).not.toBeNull()
    await elsewhere.stop()
  })

  it('fetches nothing of an issuer that no provider names', async () => {
    const before = partner.requests
    for (const iss of [`${server.url}/other`, `${server.url}\u0000`, '\ud800']) {
      const { status, json } = await present(await assertion({ iss }))
      expect([status, json]).toEqual(REFUSED('iss'))
    }
    expect(partner.requests).toBe(before)
  })

  it('is refused at once when the provider is deactivated or not trusted for it, and when the person is not active', async () => {
    const id = providers.get(server.url)
    const change = (path: string, method = 'POST', body?: object) =>
      away.manage(method, `/management/v1/identity-providers/${id}${path}`, body)
    expect((await present(await assertion())).status).toBe(200)
    expect((await change('/deactivate', 'POST', {})).status).toBe(200)
    expect((await present(await assertion())).json.error_description).toContain('iss is not the issuer')
    expect((await change('/activate', 'POST')).status).toBe(200)
    expect((await present(await assertion())).status).toBe(200)
    expect((await change('', 'PATCH', { crossAppAccess: false })).status).toBe(200)
    expect((await present(await assertion())).json.error_description).toContain('iss is not the issuer')
    expect((await change('', 'PATCH', { crossAppAccess: true })).status).toBe(200)
    await away.manage('PATCH', '/management/v1/users/alice', { state: 'inactive' })
    await expect
      .poll(async () => (await present(await assertion())).json)
      .toMatchObject({ error_description: expect.stringContaining('not active') })
    await away.manage('PATCH', '/management/v1/users/alice', { state: 'active' })
  })

  it('gives a token that ends with the link', async () => {
    const id = await link(providers.get(server.url) ?? '', 'p-boss', 'boss')
    const { json } = await present(await assertion({ sub: 'p-boss' }))
    const isActive = async () => (await away.introspect(json.access_token, { basic: 'api-chat' })).json.active
    const path = `/management/v1/users/boss/identity-links/${id}?force=true`
    expect((await away.manage('DELETE', path)).status).toBe(204)
    expect(await isActive()).toBe(false)
    expect((await present(await assertion({ sub: 'p-boss' }))).json.error_description).toContain(
      'no person is linked',
    )
  })

  it('gives no token when the link ends between the reading of the link and that of the person', async () => {
    const { database } = away.system
    const userId = 'helper'
    const linkId = await link(providers.get(server.url) ?? '', 'p-helper', userId)
    // The client is known when the person is locked.
    await present(await assertion({ sub: 'p-unknown' }))
    const text = await assertion({ sub: 'p-helper' })
    const presented = await database.transaction(async (tx) => {
      const run = (statement: string) => tx.query({ name: '', text: statement, values: [] })
      // A reading of the person waits for this transaction.
      await run('LOCK TABLE directory.account IN ACCESS EXCLUSIVE MODE')
      const answer = present(text)
      await setTimeout(300)
      await run(`DELETE FROM directory.identity_link WHERE link_id = '${linkId}'`)
      await run(`UPDATE directory.account SET token_epoch = token_epoch + 1 WHERE user_id = '${userId}'`)
      return { answer }
    })
    expect((await presented.answer).json).toMatchObject({ error: 'invalid_grant' })
  })
})

describe('the access that an assertion gave', () => {
  const isActiveAt = async (at: OAuthEnvironment, token: unknown) =>
    (await at.introspect(token, { basic: 'api-chat' })).json.active === true

  it('is listed for its person, and ends at once and until the person signs in at the issuer again', async () => {
    const signedInAt = seconds() - 300
    // Another test made the person active a moment ago.
    await expect.poll(async () => (await present(await assertion())).status).toBe(200)
    const { json } = await present(await assertion({ auth_time: signedInAt }))
    const ofOther = await present(
      await assertion({ auth_time: signedInAt, client_id: 'second-at-chat' }),
      {},
      { basic: 'second-at-chat' },
    )
    expect(await listGrants(away, 'alice')).toContainEqual(
      expect.objectContaining({
        ...{ clientId: 'wiki-at-chat', byAssertion: true },
        scopes: expect.arrayContaining(['profile']),
      }),
    )
    await endGrants(away, 'alice', 'wiki-at-chat')
    for (const at of awayReplicas) expect(await isActiveAt(at, json.access_token)).toBe(false)
    expect(await isActiveAt(away, ofOther.json.access_token)).toBe(true)
    expect((await listGrants(away, 'alice')).map(({ clientId }) => clientId)).not.toContain('wiki-at-chat')
    for (const claims of [{ auth_time: signedInAt }, { auth_time: seconds() }, {}]) {
      const answer = await present(await assertion(claims))
      expect([answer.status, answer.json]).toMatchObject(REFUSED('ended the access'))
    }
    const later = { auth_time: signedInAt, client_id: 'second-at-chat' }
    expect((await present(await assertion(later), {}, { basic: 'second-at-chat' })).status).toBe(200)
    away.system.clock.advance(120_000)
    expect((await present(await assertion({ auth_time: seconds() }))).status).toBe(200)
    expect((await present(await assertion({ auth_time: signedInAt }))).status).toBe(400)
  })

  it('is listed, and ends, where it has no scope', async () => {
    const clientId = 'first-party-at-chat'
    const text = await assertion({ client_id: clientId, scope: undefined, auth_time: seconds() })
    const { json } = await present(text, {}, { basic: clientId })
    expect(json).toMatchObject({ token_type: 'Bearer', scope: '' })
    expect(await isActiveAt(away, json.access_token)).toBe(true)
    expect(await listGrants(away, 'alice')).toContainEqual(
      expect.objectContaining({ clientId, scopes: [], byAssertion: true }),
    )
    await endGrants(away, 'alice', clientId)
    expect(await isActiveAt(away, json.access_token)).toBe(false)
  })

  it('is over when its person ends it while assertions are presented', async () => {
    const client = 'second-at-chat'
    for (let round = 0; round < 5; round += 1) {
      const texts = await Promise.all(
        awayReplicas.flatMap(() =>
          [1, 2].map(() => assertion({ client_id: client, auth_time: seconds() - 600 })),
        ),
      )
      const presented = texts.map((text, at) => present(text, {}, { basic: client }, awayReplicas[at % 2]))
      await endGrants(away, 'alice', client)
      for (const { json } of await Promise.all(presented)) {
        if (json.access_token !== undefined) expect(await isActiveAt(away, json.access_token)).toBe(false)
      }
    }
  })

  it.each([['soon'], [4_102_444_801], [-1]])('has no auth_time of %j', async (authTime) => {
    const answer = await present(await assertion({ auth_time: authTime }))
    expect([answer.status, answer.json]).toMatchObject(REFUSED('auth_time is a number'))
  })

  it('has no auth_time that is later than the assertion, which no end by the person would ever follow', async () => {
    const answer = await present(await assertion({ auth_time: seconds() + 3_600 }))
    expect([answer.status, answer.json]).toMatchObject(REFUSED('auth_time is later than iat'))
  })
})
