import { createHash, createPrivateKey, createPublicKey, type JsonWebKey, sign, verify } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type ApplicationSettings, forFlags } from '@signet/protocol/application-settings'
import { forCertificateNames } from '@signet/protocol/certificate-subject'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { DocumentedClientStore } from '../src/consents/documented-client.repository.ts'
import { lockObject } from '../src/database/lock-object.ts'
import { type ManagementFixture, managementFixture } from './management-fixture.ts'
import { exampleDirectory } from './operation-call.ts'

let management: ManagementFixture
beforeAll(async () => {
  management = await managementFixture()
  await management.directory.apply({
    ...exampleDirectory(),
    settings: { signingAlgorithms: ['RS256', 'ES256', 'EdDSA'] },
  })
  management.bearers.set('owner', { roles: ['IAM_OWNER'] })
})
afterAll(() => management?.stop())
beforeEach(() => void management.published.splice(0))

const rows = (sql: string, values: readonly unknown[] = []) => management.directory.rows(sql, values)
const create = (body: object) =>
  management.call('POST', '/applications', { projectId: 'portal', name: 'App', ...body })
const client = async (clientId: string) =>
  (await rows('SELECT * FROM directory_read.client_v1 WHERE client_id = $1', [clientId]))[0]
const digest = (secret: string) => `sha256$${createHash('sha256').update(secret).digest('base64url')}`

describe('creating an application', () => {
  it.each([
    ['web', 'client_secret_basic', true],
    ['userAgent', 'none', false],
    ['native', 'none', false],
    ['api', 'client_secret_basic', true],
  ])('%s has the defaults of its type', async (type, authMethod, isSecret) => {
    const { status, body } = await create({ type })
    const isApi = type === 'api'
    expect([status, body]).toMatchObject([
      201,
      {
        type,
        authMethod,
        state: 'active',
        responseTypes: isApi ? [] : ['code'],
        grantTypes: isApi ? [] : ['authorization_code', 'refresh_token'],
        accessTokenLifetimeSeconds: null,
        groupsClaim: 'groups',
        groupsQualified: false,
        groupsAsObjects: false,
        claimMapping: {},
        crossAppAccess: {},
      },
    ])
    expect('clientSecret' in body).toBe(isSecret)
    if (isSecret) {
      const stored = (await client(body.clientId))?.secrets
      expect(stored).toEqual([{ hash: digest(body.clientSecret), expires_at: null }])
    }
    const shown = await management.call('GET', `/applications/${body.id}`)
    const { clientSecret: _, ...rest } = body
    expect(shown.body).toEqual(rest)
  })

  it('every setting is stored and shown', async () => {
    const settings: ApplicationSettings = {
      clientId: 'everything',
      name: 'Everything',
      type: 'native',
      authMethod: 'private_key_jwt',
      redirectUris: ['com.example.app:/callback', 'http://127.0.0.1/callback'],
      postLogoutRedirectUris: ['https://app.example/bye'],
      responseTypes: ['code', 'id_token token'],
      grantTypes: ['authorization_code', 'implicit', 'client_credentials'],
      accessTokenType: 'jwt',
      accessTokenSigningAlg: 'ES256',
      idTokenSigningAlg: 'EdDSA',
      accessTokenLifetimeSeconds: 60,
      idTokenLifetimeSeconds: 86_400,
      ...forFlags(() => true),
      // It excludes some of the others.
      ...{ fapi2: false, tlsClientCertificateBoundAccessTokens: false },
      groupsClaim: 'roles',
      claimMapping: { cost_center: 'cost center', 'https://acme.example/department': 'department' },
      crossAppAccess: { 'https://other.example': { clientId: 'there', scopes: ['read'] } },
      backChannelLogoutUri: 'https://app.example/logout',
      homePage: 'https://app.example/',
      initiateLoginUri: 'https://app.example/login',
      allowedOrigins: ['https://app.example'],
      ...forCertificateNames(() => null),
    }
    const { body } = await create(settings)
    expect(body).toMatchObject(settings)
    expect((await management.call('GET', '/applications?clientId=everything')).body.items).toEqual([body])
    expect(await client('everything')).toMatchObject({
      access_token_lifetime_seconds: 60,
      type: 'native',
      groups_claim: 'roles',
      claim_mapping: settings.claimMapping,
      cross_app_access: settings.crossAppAccess,
    })
  })

  it('keeps to exactly one name of a certificate, of applications that authenticate by it', async () => {
    const { body } = await create({
      type: 'web',
      authMethod: 'tls_client_auth',
      tlsClientAuthSanDns: 'a.example',
    })
    expect(body).toMatchObject({ tlsClientAuthSanDns: 'a.example', tlsClientAuthSanUri: null })
    const update = (changes: object) => management.call('PATCH', `/applications/${body.id}`, changes)
    const refusals: [object, string][] = [
      [{ tlsClientAuthSanUri: 'spiffe://a' }, 'authMethod: tls_client_auth needs exactly one of'],
      [{ tlsClientAuthSanDns: null }, 'authMethod: tls_client_auth needs exactly one of'],
      [{ authMethod: 'private_key_jwt' }, 'tlsClientAuthSanDns: only applications with authMethod'],
      [{ tlsClientAuthSanDns: 'a example' }, 'tlsClientAuthSanDns: must be a host name'],
      [{ tlsClientAuthSubjectDn: 'a' }, 'tlsClientAuthSubjectDn: must be a distinguished name'],
      [{ tlsClientAuthSanIp: '10.0.0.256' }, 'tlsClientAuthSanIp: must be an IP address'],
    ]
    for (const [changes, rule] of refusals) {
      const { status, body: problem } = await update(changes)
      expect([status, problem.message]).toEqual([400, expect.stringContaining(rule)])
    }
    const moved = { tlsClientAuthSanDns: null, tlsClientAuthSubjectDn: 'CN=a,O=b' }
    expect((await update(moved)).body).toMatchObject(moved)
    const ended = { authMethod: 'self_signed_tls_client_auth', tlsClientAuthSubjectDn: null }
    expect((await update(ended)).body).toMatchObject(ended)
    expect('clientSecret' in body).toBe(false)
  })

  it.each([
    [{ type: 'web', clientId: 'alice' }, 409, 'the id or the clientId belongs to another'],
    [{ type: 'web', id: 'web' }, 409, 'id: is the id of another application'],
    [{ type: 'web', projectId: 'nothing' }, 400, 'projectId: must be the id of a project'],
    [{ type: 'spa' }, 400, 'type: must be web, userAgent (it runs in the browser), native or api'],
    [{ type: 'web', exactLocalhostPort: true }, 400, 'exactLocalhostPort: only native applications'],
    [{ type: 'web', homePage: 'http://a.example/' }, 400, 'homePage: must use https'],
    [{ type: 'web', initiateLoginUri: 'app:/login' }, 400, 'initiateLoginUri: must be an http or https URL'],
    [{ type: 'api', authMethod: 'none' }, 400, 'authMethod: an api application uses'],
    [
      { type: 'userAgent', authMethod: 'client_secret_basic' },
      400,
      'authMethod: an application of the type userAgent',
    ],
    [
      { type: 'userAgent', authMethod: 'client_secret_post' },
      400,
      'authMethod: an application of the type userAgent',
    ],
    [{ type: 'web', redirectUris: ['app:/x'] }, 400, 'redirectUris[0]: only native applications'],
    [{ type: 'userAgent', redirectUris: ['http://a.example/'] }, 400, 'redirectUris[0]: must use https'],
    [
      { type: 'web', accessTokenLifetimeSeconds: 86_401 },
      400,
      'accessTokenLifetimeSeconds: may be 86400 at most',
    ],
    [{ type: 'web', groupsClaim: 'teams' }, 400, 'groupsClaim: '],
    [
      { type: 'web', claimMapping: { email_verified: 'verified' } },
      400,
      'claimMapping.email_verified: is the name of a claim that is not filled from metadata',
    ],
    [
      { type: 'web', claimMapping: { 'urn:service:iam:rv': 'x' } },
      400,
      'claimMapping.(unprintable): is the name',
    ],
    [{ type: 'web', claimMapping: { department: 1 } }, 400, 'claimMapping.department: '],
    [
      { type: 'web', crossAppAccess: { 'ftp://x.example': { clientId: 'a', scopes: [] } } },
      400,
      'crossAppAccess: names must be issuers',
    ],
    [
      { type: 'web', crossAppAccess: { 'https://x.example?a': { clientId: 'a', scopes: [] } } },
      400,
      'crossAppAccess: names must be issuers',
    ],
    [
      { type: 'web', crossAppAccess: { 'https://x.example': { clientId: 'a', scopes: ['a b'] } } },
      400,
      'crossAppAccess.(unprintable): scopes must be',
    ],
    [
      { type: 'web', crossAppAccess: { 'https://x.example': { clientId: '', scopes: [] } } },
      400,
      'crossAppAccess.(unprintable).clientId: ',
    ],
    [{ type: 'web', claimMapping: ['department'] }, 400, 'claimMapping: '],
    [{ type: 'web', claimMapping: { _claim: 'x' } }, 400, 'claimMapping: names of claims'],
  ])('%o is refused', async (body, status, message) => {
    const answer = await create(body)
    expect(answer.status).toBe(status)
    expect(answer.body.message).toContain(message)
  })
})

describe('changing an application', () => {
  it('checks rules across settings against the stored ones, and tolerates older settings', async () => {
    const { body } = await create({ type: 'web', devMode: true, redirectUris: ['http://a.example/'] })
    const path = `/applications/${body.id}`
    expect(await management.call('PATCH', path, { devMode: false })).toMatchObject({
      status: 400,
      body: { details: [{ field: 'redirectUris[0]' }] },
    })
    await rows('UPDATE directory.application SET dev_mode = false WHERE application_id = $1', [body.id])
    const { accessTokenLifetimeSeconds: lifetime } = (
      await management.call('PATCH', path, { accessTokenLifetimeSeconds: 5 })
    ).body
    expect(lifetime).toBe(5)
    expect(
      (await management.call('PATCH', path, { access_token_lifetime_seconds: null })).body,
    ).toMatchObject({
      accessTokenLifetimeSeconds: null,
    })
  })

  it('lets ORG_OWNER set crossAppAccess, and PROJECT_OWNER change other settings alone', async () => {
    const { body } = await create({ type: 'web' })
    management.bearers.set('project-owner', { userId: 'p', roles: ['PROJECT_OWNER portal'] })
    management.bearers.set('org-owner', { userId: 'o', roles: ['ORG_OWNER acme'] })
    const change = (settings: object, bearer: string) =>
      management.call('PATCH', `/applications/${body.id}`, settings, bearer)
    const crossAppAccess = { 'https://other.example': { clientId: 'there', scopes: ['read'] } }
    const refused = await change({ crossAppAccess }, 'project-owner')
    expect([refused.status, refused.body.details]).toEqual([
      403,
      [{ id: 'role_missing', roles: ['IAM_OWNER', 'ORG_OWNER'] }],
    ])
    expect((await change({ name: 'Renamed' }, 'project-owner')).status).toBe(200)
    expect((await change({ crossAppAccess }, 'org-owner')).body).toMatchObject({ crossAppAccess })
    const created = (bearer: string) =>
      management.call(
        'POST',
        '/applications',
        { projectId: 'portal', name: 'App', type: 'web', crossAppAccess },
        bearer,
      )
    expect([(await created('project-owner')).status, (await created('org-owner')).status]).toEqual([403, 201])
  })

  it('replaces claimMapping as a whole, and refuses a reserved claim', async () => {
    const { body } = await create({ type: 'web', claimMapping: { department: 'department' } })
    const change = (claimMapping: object) =>
      management.call('PATCH', `/applications/${body.id}`, { claimMapping })
    expect((await change({ cost_center: 'center' })).body.claimMapping).toEqual({ cost_center: 'center' })
    expect(await change({ sub: 'center' })).toMatchObject({
      status: 400,
      body: { details: [{ field: 'claimMapping.sub' }] },
    })
    expect((await change({})).body.claimMapping).toEqual({})
  })

  it('another clientId ends the tokens of the old one', async () => {
    const { body } = await create({ type: 'native', clientId: 'before' })
    const changed = await management.call('PATCH', `/applications/${body.id}`, { clientId: 'after' })
    expect(changed).toMatchObject({ status: 200, body: { clientId: 'after' } })
    expect(management.published).toEqual([['CLIENT before 1']])
  })

  it('of two callers who changed the same representation, the second gets 412 (RFC 9110 section 13.1.1)', async () => {
    const { headers } = await management.call('GET', '/applications/web')
    const change = (name: string) =>
      management.call('PATCH', '/applications/web', { name }, 'owner', {
        'if-match': headers.get('etag') ?? '',
      })
    expect([(await change('First')).status, (await change('Second')).status]).toEqual([200, 412])
  })
})

describe('the marks mayCallApi and firstParty', () => {
  const REDIRECT = 'https://marked.example/callback'
  const STRANGER = 'https://stranger.example/callback'
  const TRUST = { issuer: 'https://kubernetes.example.com', subject: 'system:serviceaccount:shop:orders' }
  const manager = 'manager'
  const needsOwner = { code: 7, message: expect.stringContaining('needs role IAM_OWNER') }
  beforeAll(() => void management.bearers.set('manager', { roles: ['PROJECT_OWNER portal'] }))

  const marked = async (marks: object) =>
    (await create({ type: 'web', redirectUris: [REDIRECT], ...marks })).body
  const change = (id: string, body: object, bearer: string = manager) =>
    management.call('PATCH', `/applications/${id}`, body, bearer)

  it.each(['mayCallApi', 'firstParty'])('lets only an IAM_OWNER set %s', async (mark) => {
    const made = { projectId: 'portal', name: 'App', type: 'web', [mark]: true }
    expect(await management.call('POST', '/applications', made, manager)).toMatchObject({
      status: 403,
      body: needsOwner,
    })
    const { id } = await marked({})
    expect(await change(id, { [mark]: true })).toMatchObject({ status: 403, body: needsOwner })
    expect(await change(id, { [mark]: false, name: 'Renamed' })).toMatchObject({ status: 200 })
    expect((await change(id, { [mark]: true }, 'owner')).body).toMatchObject({ [mark]: true })
  })

  it.each([
    ['clientId', 'marked-anew'],
    ['type', 'native'],
    ['authMethod', 'private_key_jwt'],
    ['responseTypes', ['code', 'id_token token']],
    ['grantTypes', ['authorization_code', 'implicit']],
    ['allowedOrigins', ['https://stranger.example']],
    ['pkceOptional', true],
    ['redirectUris', [REDIRECT, STRANGER]],
  ])('lets only an IAM_OWNER change %s while mayCallApi stands', async (setting, value) => {
    const { id, clientId } = await marked({ mayCallApi: true })
    const changes = { [setting]: setting === 'clientId' ? `${value}-${clientId}` : value }
    expect(await change(id, changes)).toMatchObject({ status: 403, body: needsOwner })
    expect(await change(id, { ...changes, mayCallApi: false })).toMatchObject({
      status: 403,
      body: needsOwner,
    })
    expect((await change(id, changes, 'owner')).body).toMatchObject({ ...changes, mayCallApi: true })
  })

  it('ends firstParty with a change of the redirect URIs unless an IAM_OWNER states it', async () => {
    const { id } = await marked({ firstParty: true })
    const redirectUris = [REDIRECT, STRANGER]
    expect(await change(id, { redirectUris, firstParty: true })).toMatchObject({
      body: { firstParty: false },
    })
    const stated = { redirectUris: [REDIRECT], firstParty: true }
    expect((await change(id, stated, 'owner')).body).toMatchObject(stated)
    expect((await change(id, { redirectUris }, 'owner')).body).toMatchObject({
      redirectUris,
      firstParty: false,
    })
  })

  it('lets an administrator of the project end firstParty, and only then change other settings', async () => {
    const { id } = await marked({ firstParty: true })
    const grantTypes = ['authorization_code', 'client_credentials']
    expect(await change(id, { grantTypes })).toMatchObject({ status: 403, body: needsOwner })
    expect((await change(id, { grantTypes, firstParty: false })).body).toMatchObject({
      grantTypes,
      firstParty: false,
    })
  })

  it.each(['mayCallApi', 'firstParty'])(
    'lets only an IAM_OWNER change keys and secrets while %s stands',
    async (mark) => {
      const { id } = await marked({ [mark]: true })
      const key = await management.call('POST', `/applications/${id}/keys`, {})
      const trusts = `/applications/${id}/trusted-issuers`
      const trust = await management.call('POST', trusts, TRUST)
      expect([key.status, trust.status]).toEqual([201, 201])
      const calls = [
        ['POST', `/applications/${id}/secret`, { overlapSeconds: 60 }],
        ['DELETE', `/applications/${id}/secret`, undefined],
        ['POST', `/applications/${id}/keys`, {}],
        ['DELETE', `/applications/${id}/keys/${key.body.id}`, undefined],
        ['POST', trusts, TRUST],
        ['PATCH', `${trusts}/${trust.body.id}`, { subject: 'another' }],
        ['DELETE', `${trusts}/${trust.body.id}`, undefined],
      ] as const
      for (const [method, path, body] of calls) {
        expect(await management.call(method, path, body, manager)).toMatchObject({
          status: 403,
          body: needsOwner,
        })
      }
    },
  )

  it.each(['keys', 'trusted-issuers'])(
    'refuses new %s of an administrator while an IAM_OWNER sets mayCallApi',
    async (what) => {
      const { id } = await marked({})
      let added: Promise<{ status: number }> | undefined
      await management.directory.owner.transaction(async (tx) => {
        await lockObject(tx, 'application', id)
        added = management.call('POST', `/applications/${id}/${what}`, what === 'keys' ? {} : TRUST, manager)
        // Without the lock it is done by then.
        await Promise.race([added, pause(500)])
        const text = 'UPDATE directory.application SET may_call_api = true WHERE application_id = $1'
        await tx.query({ name: '', text, values: [id] })
      })
      expect(await added).toMatchObject({ status: 403, body: needsOwner })
    },
  )

  it('lets only an IAM_OWNER change allowedAudiences of a project with a marked application', async () => {
    await management.call('POST', '/projects', { id: 'audience', organizationId: 'acme', name: 'Audience' })
    management.bearers.set('owner-of-audience', { roles: ['PROJECT_OWNER audience'] })
    const allow = (clientId: string) =>
      management.call('PATCH', '/projects/audience', { allowedAudiences: [clientId] }, 'owner-of-audience')
    expect(await allow('first')).toMatchObject({ status: 400, body: { code: 3 } })
    for (const clientId of ['first', 'second']) await create({ type: 'web', clientId })
    expect((await allow('first')).body).toMatchObject({ allowedAudiences: ['first'] })
    await create({ type: 'web', projectId: 'audience', mayCallApi: true })
    expect(await allow('second')).toMatchObject({ status: 403, body: needsOwner })
    expect(
      await rows("SELECT allowed_audiences FROM directory_read.project_v1 WHERE project_id = 'audience'"),
    ).toEqual([{ allowed_audiences: ['first'] }])
  })
})

describe('deleting an application', () => {
  it('ends everything before the response, and again when it is repeated by its administrators', async () => {
    const { body } = await create({ type: 'web', clientId: 'doomed' })
    management.bearers.set('project-owner', { roles: ['PROJECT_OWNER portal'] })
    const remove = () => management.call('DELETE', `/applications/${body.id}`, undefined, 'project-owner')
    expect([(await remove()).status, (await remove()).status]).toEqual([204, 204])
    expect(management.published).toEqual([['CLIENT doomed 1'], ['CLIENT doomed 1']])
    expect(await client('doomed')).toBeUndefined()
    expect((await management.call('DELETE', '/applications/never')).status).toBe(404)
  })
})

describe('the client secret of an application', () => {
  const valid = async (clientId: string) => {
    const secrets = (await client(clientId))?.secrets as { hash: string; expires_at: string | null }[]
    const now = management.directory.clock.now()
    return secrets
      .filter(({ expires_at }) => expires_at === null || new Date(expires_at) > now)
      .map(({ hash }) => hash)
  }

  it('rotated with an overlap: both are valid until it ends, and no token is revoked by repeated rotations', async () => {
    const { body } = await create({ type: 'web', clientId: 'rotating' })
    const rotate = (overlapSeconds: number) =>
      management.call('POST', `/applications/${body.id}/secret`, { overlapSeconds })
    const second = await rotate(60)
    expect(second).toMatchObject({ status: 201, body: { clientId: 'rotating' } })
    expect(await valid('rotating')).toEqual([digest(second.body.clientSecret), digest(body.clientSecret)])
    management.directory.clock.advance(60_000)
    expect(await valid('rotating')).toEqual([digest(second.body.clientSecret)])
    await rotate(60)
    expect([management.published, (await valid('rotating')).length]).toEqual([[], 2])
    const last = await rotate(0)
    expect(await valid('rotating')).toEqual([digest(last.body.clientSecret)])
    expect(management.published).toEqual([['CLIENT rotating 1']])
  })

  it('is refused for a public client', async () => {
    const { body } = await create({ type: 'native' })
    expect(
      await management.call('POST', `/applications/${body.id}/secret`, { overlapSeconds: 0 }),
    ).toMatchObject({
      status: 400,
      body: { code: 9, message: expect.stringContaining('authMethod none has no secret') },
    })
    expect(await management.call('DELETE', `/applications/${body.id}/secret`)).toMatchObject({
      status: 400,
      body: { code: 9, message: expect.stringContaining('authMethod none has no secret') },
    })
  })

  it('D: taken away, with everything that was made for the application, until there is another one', async () => {
    const { body } = await create({ type: 'web', clientId: 'losing' })
    const path = `/applications/${body.id}/secret`
    await management.call('POST', path, { overlapSeconds: 60 })
    management.published.splice(0)
    expect((await management.call('DELETE', path)).status).toBe(204)
    expect(await valid('losing')).toEqual([])
    expect(management.published).toEqual([['CLIENT losing 1']])
    expect(await management.call('DELETE', path)).toMatchObject({
      status: 404,
      body: { message: 'the application has no secret' },
    })
    const { body: next } = await management.call('POST', path, { overlapSeconds: 0 })
    expect(await valid('losing')).toEqual([digest(next.clientSecret)])
  })
})

describe('RFC 7523 section 3: keys of an application', () => {
  it('a generated key file signs assertions that the published key verifies', async () => {
    const { body: app } = await create({ type: 'api', authMethod: 'private_key_jwt' })
    const path = `/applications/${app.id}/keys`
    const { status, body } = await management.call('POST', path, { algorithm: 'ES256' })
    expect([status, body.keyFile]).toMatchObject([
      201,
      { type: 'application', keyId: body.id, appId: app.id, clientId: app.clientId },
    ])
    const { keys = [] } = ((await client(app.clientId)) ?? {}) as {
      keys?: { kid: string; jwk: JsonWebKey }[]
    }
    const [published] = keys
    const signature = sign('sha256', Buffer.from('text'), createPrivateKey(body.keyFile.key))
    const publicKey = createPublicKey({ key: published?.jwk ?? {}, format: 'jwk' })
    expect([published?.kid, verify('sha256', Buffer.from('text'), publicKey, signature)]).toEqual([
      body.id,
      true,
    ])
    expect((await management.call('GET', path)).body.items).toMatchObject([{ id: body.id, expiresAt: null }])
    expect((await management.call('DELETE', `${path}/${body.id}`)).status).toBe(204)
    expect((await management.call('DELETE', `${path}/${body.id}`)).status).toBe(404)
  })
})

describe('the list of clients with a URL', () => {
  const URLS = ['https://one.example/a', 'https://one.example/b', 'https://one.example:8443/c']
  beforeAll(async () => {
    let made = 0
    const store = new DocumentedClientStore({ projectId: 'portal', newId: () => `documented-${++made}` })
    const document = { name: 'one.example', redirectUris: ['https://one.example/cb'] }
    const client = { ...document, mayRefresh: false, signsAssertions: false }
    const putting = { at: new Date('2026-02-01T00:00:00Z'), actor: { kind: 'human', id: 'alice' } as const }
    await management.directory.owner.transaction(async (tx) => {
      for (const clientId of URLS) await store.put(tx, { clientId, ...client }, putting)
    })
    management.tokenDays.set('https://one.example/b', 20_515)
  })

  const list = async (query = '', bearer = 'owner') => {
    const { status, body } = await management.call('GET', `/client-documents${query}`, undefined, bearer)
    return status === 200 ? body.items.map((item: { clientId: string }) => item.clientId) : status
  }

  it('has each with its host and the day of its latest tokens, and no other application', async () => {
    const { body } = await management.call('GET', '/client-documents')
    const shown = { name: 'one.example', projectId: 'portal', state: 'active' }
    const createdAt = '2026-02-01T00:00:00.000Z'
    expect(body).toEqual({
      items: URLS.map((clientId, at) => ({
        ...{ applicationId: `documented-${at + 1}`, clientId, ...shown, createdAt },
        host: at === 2 ? 'one.example:8443' : 'one.example',
        lastUsedOn: at === 1 ? '2026-03-03' : null,
      })),
    })
  })

  it('is filtered by host, state and project, and goes on behind the last of a page', async () => {
    await management.call('PATCH', '/applications/documented-1', { state: 'inactive' })
    expect(await list('?state=inactive')).toEqual(URLS.slice(0, 1))
    expect(await list('?host=one.example')).toEqual(URLS.slice(0, 2))
    expect(await list('?host=one.example:8443&projectId=portal')).toEqual(URLS.slice(2))
    expect(await list('?host=one.example%2Fa')).toBe(400)
    const { body } = await management.call('GET', '/client-documents?limit=2')
    expect(await list(`?cursor=${body.nextCursor}`)).toEqual(URLS.slice(2))
  })

  it('has those of the organizations and projects of the caller', async () => {
    for (const [role, expected] of [
      ['PROJECT_OWNER_VIEWER portal', URLS],
      ['ORG_OWNER other', []],
    ] as const) {
      management.bearers.set('viewer', { roles: [role] })
      expect(await list('', 'viewer')).toEqual(expected)
    }
  })
})
