import { size } from '@signet/testing/sizes'
import { ADMIN_TOKEN, MACHINE_KEY, REDIRECT_URI, SECRET } from '@signet/testing/system/oauth-directory'
import {
  createOAuthEnvironment,
  ISSUER,
  OAUTH_SYSTEM,
  type OAuthEnvironment,
} from '@signet/testing/system/oauth-environment'
import { startSystem } from '@signet/testing/system/start-system'
import fc from 'fast-check'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectHarmless, send } from './fuzz/raw-request.ts'

let oauth: OAuthEnvironment
beforeAll(async () => {
  oauth = createOAuthEnvironment(await startSystem(OAUTH_SYSTEM))
}, 60_000)
afterAll(() => oauth?.stop())

interface PlaceRequest {
  readonly method?: string
  readonly target: string
  readonly headers?: Readonly<Record<string, string>>
  readonly form?: Readonly<Record<string, string>>
  readonly json?: unknown
}

const AS_ADMINISTRATOR = { authorization: `Bearer ${ADMIN_TOKEN}` }
const OAUTH_ENDPOINTS = ['/oauth/v2/token', '/oauth/v2/introspect', '/oauth/v2/revoke']
const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'
const TOKEN_TYPE = 'urn:ietf:params:oauth:token-type'

const part = (json: unknown) => Buffer.from(JSON.stringify(json)).toString('base64url')
const unsigned = (sub: string) => `${part({ alg: 'RS256', kid: sub })}.${part({ iss: sub, sub })}.AAAA`
const basic = (id: string) => ({
  authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${SECRET}`).toString('base64')}`,
})
const encoded = (id: string) => encodeURIComponent(id) || '%20'

function exchange(id: string, type: string, subject: string): PlaceRequest {
  const form = { grant_type: EXCHANGE, subject_token: subject, subject_token_type: `${TOKEN_TYPE}:${type}` }
  return { target: '/oauth/v2/token', headers: basic('exchanger'), form: { ...form, audience: id } }
}

/** Every place where an id comes in, by what it is. */
const PLACES: Readonly<Record<string, (id: string) => readonly PlaceRequest[]>> = {
  'the client_id of Basic': (id) =>
    OAUTH_ENDPOINTS.map((target) => ({
      target,
      headers: basic(id),
      form: { token: 'x', grant_type: 'client_credentials' },
    })),
  'the sub of a client assertion': (id) =>
    OAUTH_ENDPOINTS.map((target) => ({
      target,
      form: {
        token: 'x',
        grant_type: 'client_credentials',
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: unsigned(id),
      },
    })),
  'the client_id of a form': (id) =>
    OAUTH_ENDPOINTS.map((target) => ({
      target,
      form: { token: 'x', grant_type: 'authorization_code', code: 'x', client_id: id },
    })),
  'the sub of a jwt-bearer assertion': (id) => [
    {
      target: '/oauth/v2/token',
      form: {
        grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
        assertion: unsigned(id),
        scope: 'openid',
      },
    },
  ],
  'the subject of an exchange': (id) => [
    exchange('portal', 'jwt', unsigned(id)),
    exchange('portal', 'access_token', unsigned(id)),
    exchange('portal', 'id_token', unsigned(id)),
    exchange('portal', 'user_id', id),
    exchange(id, 'user_id', 'alice'),
  ],
  'a presented token': (id) => [
    { target: '/oauth/v2/introspect', headers: basic('api'), form: { token: unsigned(id) } },
    { target: '/oauth/v2/revoke', headers: basic('web'), form: { token: unsigned(id) } },
    { method: 'GET', target: '/oidc/v1/userinfo', headers: { authorization: `Bearer ${unsigned(id)}` } },
  ],
  'a scope': (id) =>
    ['project:id', 'id', 'domain:primary'].map((what) => ({
      target: '/oauth/v2/token',
      headers: basic('machine'),
      form: { grant_type: 'client_credentials', scope: `openid urn:service:iam:org:${what}:${id}:aud` },
    })),
  'a parameter of authorize and logout': (id) =>
    [
      `/oauth/v2/authorize?client_id=${encoded(id)}&redirect_uri=x&response_type=code&scope=openid`,
      `/oauth/v2/authorize?client_id=web&response_type=code&scope=${encoded(`openid urn:service:iam:org:id:${id}`)}`,
      `/oauth/v2/authorize?client_id=web&id_token_hint=${encoded(unsigned(id))}`,
      `/oidc/v1/end_session?client_id=${encoded(id)}`,
      `/oidc/v1/end_session?id_token_hint=${encoded(unsigned(id))}`,
    ].map((target) => ({ method: 'GET', target })),
  'a job of the migration API': (id) => [
    ...['', '/events', '/report', '/document'].map((below) => ({
      method: 'GET',
      target: `/admin/v1/jobs/${encoded(id)}${below}`,
      headers: AS_ADMINISTRATOR,
    })),
    ...['/cancel', '/resume'].map((below) => ({
      target: `/admin/v1/jobs/${encoded(id)}${below}`,
      headers: AS_ADMINISTRATOR,
    })),
    { method: 'GET', target: `/admin/v1/jobs?pageToken=${encoded(id)}`, headers: AS_ADMINISTRATOR },
  ],
  'a cursor of the management API': (id) => [
    {
      method: 'GET',
      target: `/management/v1/users?cursor=${Buffer.from(id).toString('base64url')}`,
      headers: AS_ADMINISTRATOR,
    },
  ],
  'the body of an operation': (id) =>
    [
      [
        '/management/v1/users',
        { id, organizationId: 'acme', userName: 'x', profile: { givenName: 'x', familyName: 'x' } },
      ],
      [
        '/management/v1/users',
        { organizationId: id, userName: 'x', profile: { givenName: 'x', familyName: 'x' } },
      ],
      ['/management/v1/service-users', { organizationId: 'acme', userName: 'x', clientId: `${id}\0` }],
      ['/management/v1/projects', { id: `${id}\0`, organizationId: 'acme', name: 'x' }],
      [
        '/management/v1/apply',
        { organizations: [{ id: `${id}\0`, name: 'x', primaryDomain: 'x.localhost' }] },
      ],
      ['/admin/v1/import', { dataOrgs: { orgs: [{ orgId: `${id}\0`, org: { name: 'x' } }] } }],
    ].map(([target, json]) => ({ target: String(target), headers: AS_ADMINISTRATOR, json })),
}

const HOSTILE = [
  '\0',
  'web\0',
  '\0web',
  'a\0b',
  '\ud800',
  'web\udfff',
  '\ud83d\ude00',
  'a'.repeat(201),
  'a'.repeat(4_000),
  'auth0|5f7c',
  'auth0|5f7c:1',
  'urn:',
  ':',
  '|',
  ' ',
  '.',
  '..',
  'a/b',
  "'; --",
  '%00',
  '\r\n',
  '__proto__',
]

const hostileId = fc.oneof(
  fc.constantFrom(...HOSTILE),
  fc.string({ maxLength: 40, unit: 'binary' }),
  fc
    .tuple(fc.string({ maxLength: 10 }), fc.constantFrom(...HOSTILE))
    .map(([before, hostile]) => before + hostile),
)

function ask({ method = 'POST', target, headers = {}, form, json }: PlaceRequest) {
  if (json !== undefined) {
    const typed = { ...headers, 'content-type': 'application/json' }
    return send(oauth.base, { method, target, headers: typed, body: JSON.stringify(json) })
  }
  const typed =
    method === 'GET' ? headers : { ...headers, 'content-type': 'application/x-www-form-urlencoded' }
  return send(oauth.base, {
    method,
    target,
    headers: typed,
    ...(form !== undefined && { body: new URLSearchParams(form).toString() }),
  })
}

/** Texts that a client library would not encode are what a hostile client sends. */
const sendable = (id: string): string => id.toWellFormed()

async function expectNoFault(requests: readonly PlaceRequest[]): Promise<void> {
  for (const answer of await Promise.all(requests.map(ask))) expectHarmless(answer)
}

describe('an id that can be none', () => {
  it.each(Object.entries(PLACES))(
    'never causes an internal error as %s',
    async (_, requestsOf) => {
      for (const id of HOSTILE) await expectNoFault(requestsOf(sendable(id)))
      await fc.assert(
        fc.asyncProperty(hostileId, (id) => expectNoFault(requestsOf(sendable(id)))),
        { seed: 3, numRuns: Math.ceil(size('malformedOperations') / 20) },
      )
    },
    600_000,
  )

  it('never causes an internal error in a path parameter of any operation', async () => {
    const { json } = await oauth.manage('GET', '/management/v1/openapi.json')
    const paths = json.paths as Readonly<Record<string, Readonly<Record<string, unknown>>>>
    const requests = Object.entries(paths).flatMap(([path, operations]) =>
      path.includes('{')
        ? Object.keys(operations).flatMap((method) =>
            ['\0', 'alice\0', 'a'.repeat(300), 'auth0|x', '\ud800'.toWellFormed()].map((id) => ({
              method: method.toUpperCase(),
              target: path.replaceAll(/\{\w+\}/g, encoded(id)),
              headers: AS_ADMINISTRATOR,
              ...(method !== 'get' && method !== 'delete' && { json: {} }),
            })),
          )
        : [],
    )
    expect(requests.length).toBeGreaterThan(200)
    for (let at = 0; at < requests.length; at += 10) await expectNoFault(requests.slice(at, at + 10))
  }, 600_000)
})

describe.each([
  ['vertical bar', 'google-oauth2|1017'],
  ['colon', 'did:web:acme.example:ann'],
])('the id of a user with a %s', (_, ID) => {
  it('is the sub of its tokens, and ends them with the user', async () => {
    const profile = { givenName: 'Bar', familyName: 'Example' }
    const body = { id: ID, organizationId: 'acme', userName: ID.slice(0, 3), profile }
    expect((await oauth.manage('POST', '/management/v1/users', body)).status).toBe(201)
    const { json } = await oauth.tokens({ userId: ID, scope: 'openid offline_access' })
    expect(await oauth.verify(json.id_token)).toMatchObject({ sub: ID })
    const refreshed = await oauth.refresh(json.refresh_token)
    expect((await oauth.introspect(refreshed.json.access_token)).json).toMatchObject({
      active: true,
      sub: ID,
    })
    expect((await oauth.userinfo(json.access_token)).json).toMatchObject({ sub: ID })
    const item = `/management/v1/users/${encodeURIComponent(ID)}`
    expect((await oauth.manage('GET', item)).json).toMatchObject({ id: ID })
    expect((await oauth.manage('DELETE', item)).status).toBe(204)
    expect((await oauth.introspect(json.access_token)).json).toEqual({ active: false })
    expect((await oauth.refresh(refreshed.json.refresh_token)).json).toMatchObject({ error: 'invalid_grant' })
  })

  it.each([
    ['/management/v1/projects', { id: ID, organizationId: 'acme', name: 'x' }],
    ['/management/v1/service-users', { organizationId: 'acme', userName: 'x', clientId: ID }],
    ['/management/v1/organizations', { id: ID, name: 'x', primaryDomain: 'x.localhost' }],
  ])('cannot be another id: %s', async (path, body) => {
    expect((await oauth.manage('POST', path, body)).status).toBe(400)
  })
})

describe.each(['.', '..'])('the segment %s, which clients resolve', (id) => {
  it('ends nothing above the object that a path names', async () => {
    expect(
      (
        await oauth.manage('POST', '/management/v1/projects', {
          id: 'dots',
          organizationId: 'acme',
          name: 'x',
        })
      ).status,
    ).toBe(id === '.' ? 201 : 409)
    for (const above of ['/projects/dots/roles', '/organizations/acme/members', '/users/alice/metadata']) {
      const { status } = await oauth.manage('DELETE', `/management/v1${above}/${encodeURIComponent(id)}`)
      expect([above, status]).toEqual([above, 405])
    }
    for (const left of ['/projects/dots', '/organizations/acme', '/users/alice'])
      expect((await oauth.manage('GET', `/management/v1${left}`)).status).toBe(200)
  })

  it.each([
    ['/management/v1/projects', { id, organizationId: 'acme', name: 'x' }],
    ['/management/v1/organizations', { id, name: 'x', primaryDomain: 'x.localhost' }],
    [
      '/management/v1/users',
      { id, organizationId: 'acme', userName: 'x', profile: { givenName: 'x', familyName: 'x' } },
    ],
    ['/management/v1/projects/dots/roles', { key: id, displayName: 'x' }],
  ])('cannot be a new id or key: %s', async (path, body) => {
    const { status, json } = await oauth.manage('POST', path, body)
    expect([status, JSON.stringify(json)]).toEqual([400, expect.stringContaining('must not be . or ..')])
  })
})

describe('an import that names the id of a deleted user', () => {
  const profile = { firstName: 'x', lastName: 'x' }
  const inOrganization = (orgId: string) => ({
    orgIds: ['acme', 'beta'],
    dataOrgs: {
      orgs: [
        {
          orgId,
          org: { name: orgId },
          humanUsers: ['given-up', 'never-given'].map((userId) => ({
            userId,
            user: { userName: `${userId}-${orgId}`, profile },
          })),
        },
      ],
    },
  })
  const importing = async (orgId: string, more: object = {}) => {
    const { json } = await oauth.manage('POST', '/admin/v1/import', { ...inOrganization(orgId), ...more })
    const errors = (json.errors ?? []) as readonly { readonly id: string; readonly message: string }[]
    return errors.filter(({ id }) => id.endsWith('given-up')).map(({ message }) => message)
  }

  it('makes it in the same organization only, and says so in a dry run', async () => {
    const person = {
      id: 'given-up',
      organizationId: 'acme',
      userName: 'gu',
      profile: { givenName: 'x', familyName: 'x' },
    }
    expect((await oauth.manage('POST', '/management/v1/users', person)).status).toBe(201)
    expect((await oauth.manage('DELETE', '/management/v1/users/given-up')).status).toBe(204)
    const refused = [expect.stringContaining('only the same kind of object in the same organization')]
    expect(await importing('beta', { dryRun: true })).toEqual(refused)
    expect(await importing('beta')).toEqual(refused)
    expect((await oauth.manage('GET', '/management/v1/users/never-given')).json).toMatchObject({
      organizationId: 'beta',
    })
    expect(await importing('acme', { dryRun: true })).toEqual([])
    expect(await importing('acme')).toEqual([])
    expect((await oauth.manage('GET', '/management/v1/users/given-up')).json).toMatchObject({
      organizationId: 'acme',
    })
  })
})

describe('the reserved ids signet and zitadel', () => {
  const person = { userName: 'x', profile: { givenName: 'x', familyName: 'x' } }
  const PLACES_OF_NEW_IDS: readonly (readonly [method: string, path: string, body: object, field: string])[] =
    [
      ['POST', 'organizations', { name: 'x', primaryDomain: 'x.localhost' }, 'id'],
      ['POST', 'users', { organizationId: 'acme', ...person }, 'id'],
      ['POST', 'service-users', { organizationId: 'acme', userName: 'x' }, 'id'],
      ['POST', 'service-users', { organizationId: 'acme', userName: 'x' }, 'clientId'],
      ['PATCH', 'users/robot', {}, 'clientId'],
      ['POST', 'projects', { organizationId: 'acme', name: 'x' }, 'id'],
      ['POST', 'applications', { projectId: 'portal', name: 'x', type: 'native' }, 'id'],
      ['POST', 'applications', { projectId: 'portal', name: 'x', type: 'native' }, 'clientId'],
      ['PATCH', 'applications/web', {}, 'clientId'],
    ]

  it.each(PLACES_OF_NEW_IDS)('are refused by %s %s', async (method, path, body, field) => {
    for (const id of ['signet', 'zitadel']) {
      const answer = await oauth.manage(method, `/management/v1/${path}`, { ...body, [field]: id })
      expect(answer.status).toBe(400)
      expect(JSON.stringify(answer.json)).toContain(`must not be signet or zitadel`)
    }
  })

  it('are refused in a bootstrap file, at every place', async () => {
    const application = { id: 'signet', clientId: 'zitadel', name: 'x', type: 'native' }
    const organization = {
      id: 'zitadel',
      name: 'x',
      primaryDomain: 'x.localhost',
      users: [{ id: 'signet', ...person }],
      serviceUsers: [{ id: 'zitadel', userName: 'y', clientId: 'signet' }],
      projects: [{ id: 'signet', name: 'x', applications: [application] }],
    }
    const { status, json } = await oauth.manage('POST', '/management/v1/apply', {
      organizations: [organization],
    })
    expect(status).toBe(400)
    expect(JSON.stringify(json).match(/must not be signet or zitadel/g)?.length).toBeGreaterThanOrEqual(7)
  })

  it('are refused in the records of an import', async () => {
    const signet = { orgId: 'imported', org: { name: 'Imported' } }
    const profile = { firstName: 'x', lastName: 'x' }
    const app = { projectId: 'free', name: 'x', appType: 'OIDC_APP_TYPE_NATIVE' }
    const document = {
      orgs: [
        {
          ...signet,
          humanUsers: [{ userId: 'zitadel', user: { userName: 'z', profile } }],
          machineUsers: [{ userId: 'm', clientId: 'signet', user: { userName: 'm', name: 'm' } }],
          projects: [
            { projectId: 'signet', project: { name: 'x' } },
            { projectId: 'free', project: { name: 'x' } },
          ],
          oidcApps: [
            { appId: 'zitadel', app },
            { appId: 'free-app', app: { ...app, clientId: 'signet' } },
          ],
        },
      ],
    }
    const { json } = await oauth.manage('POST', '/admin/v1/import', { dataOrgs: document })
    expect(JSON.stringify(json.details).match(/"rule":"must not be signet or zitadel/g)).toHaveLength(5)
  })

  it('do not become the clientId of a service user of that name', async () => {
    const body = { organizationId: 'acme', userName: 'signet' }
    const { status, json } = await oauth.manage('POST', '/management/v1/service-users', body)
    expect([status, json.clientId]).toEqual([201, 'signet@acme.localhost'])
  })

  it('let no client authenticate that had one before', async () => {
    const change = async (text: string) => {
      await oauth.database.query({ name: '', text, values: [] })
    }
    const credentials = (basic: string) =>
      oauth.token({ grant_type: 'client_credentials', scope: 'openid' }, { basic })
    const authorize = (clientId: string) =>
      oauth.call(
        `/oauth/v2/authorize?client_id=${clientId}&redirect_uri=${encodeURIComponent(REDIRECT_URI)}&response_type=code&scope=openid`,
      )
    await change(`UPDATE directory.application SET client_id = 'signet' WHERE application_id = 'backend'`)
    await change(`UPDATE directory.service_user SET client_id = 'zitadel' WHERE user_id = 'robot'`)
    await change(
      `INSERT INTO directory.project (project_id, organization_id, name) VALUES ('signet', 'acme', 'x')`,
    )
    await change(
      `UPDATE directory.application SET project_id = 'signet' WHERE application_id IN ('web', 'exchanger')`,
    )
    for (const clientId of ['signet', 'zitadel', 'exchanger']) {
      await expect.poll(async () => (await credentials(clientId)).json.error).toBe('invalid_client')
    }
    for (const clientId of ['signet', 'web']) {
      await expect.poll(async () => (await authorize(clientId)).status).toBe(400)
    }
    const now = Math.floor(Date.now() / 1_000)
    const assertion = await new SignJWT({ iss: 'robot', sub: 'robot', aud: ISSUER, iat: now, exp: now + 60 })
      .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
      .sign(MACHINE_KEY.privateKey)
    const form = { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion, scope: 'openid' }
    expect((await oauth.token(form, { form: {} })).json).toMatchObject({ error: 'invalid_grant' })
  })
})
