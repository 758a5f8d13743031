import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { convertAll, documentOf, problemsOf, sourceFile } from './conversion-fixture.ts'
import { convertKeycloak, type KeycloakOptions } from './keycloak.ts'

const SECRET = 'n3Y9sVJ1cS0n3Y9sVJ1cS0n3Y9sVJ1cS'

const convert = (realms: unknown, options: KeycloakOptions = {}) =>
  convertAll(convertKeycloak, [sourceFile(realms)], options)

/** Converts a realm with one client and returns the application, and what was left out. */
async function application(client: object, { realm = {}, options = {} } = {}) {
  const converted = await convert(
    { id: 'p', realm: 'p', clients: [{ clientId: 'portal', ...client }], ...realm },
    options,
  )
  const { records, parts } = converted
  expect(problemsOf(documentOf(parts))).toEqual([])
  const [oidc] = records('oidcApps') as readonly { app: Record<string, unknown> }[]
  const [api] = records('apiApps') as readonly { app: Record<string, unknown> }[]
  return { ...converted, oidc: oidc?.app, api: api?.app }
}

describe('a client without members that Keycloak has defaults for', () => {
  it('uses the authorization code flow and is active', async () => {
    const site = { publicClient: true, redirectUris: ['https://site.corp.example/cb'] }
    const { oidc } = await application(site)
    expect(oidc).toMatchObject({
      redirectUris: ['https://site.corp.example/cb'],
      responseTypes: ['OIDC_RESPONSE_TYPE_CODE'],
      authMethodType: 'OIDC_AUTH_METHOD_TYPE_NONE',
      state: 'APP_STATE_ACTIVE',
    })
  })

  it.each([
    ['bearerOnly', { bearerOnly: true }],
    ['no flow', { standardFlowEnabled: false, serviceAccountsEnabled: true }],
  ])('is an API application with %s', async (_, client) => {
    const { oidc, api } = await application({ ...client, secret: SECRET })
    expect([oidc, api?.authMethodType]).toEqual([undefined, 'API_AUTH_METHOD_TYPE_BASIC'])
  })

  it('counts no values that a version of Keycloak writes by default', async () => {
    const { kinds } = await application(
      {
        redirectUris: ['https://site.corp.example/cb'],
        defaultClientScopes: ['web-origins', 'acr', 'profile', 'roles', 'basic', 'email'],
        optionalClientScopes: ['address', 'phone', 'organization', 'offline_access', 'microprofile-jwt'],
        nodeReRegistrationTimeout: 0,
        attributes: { 'saml.assertion.signature': 'false', 'oidc.ciba.grant.enabled': 'false' },
      },
      { realm: { accessTokenLifespan: 300, otpPolicyType: 'totp', webAuthnPolicyRpEntityName: 'keycloak' } },
    )
    expect(kinds).toEqual({})
  })
})

describe('a public client that Keycloak lets sign in without PKCE', () => {
  const spa = { publicClient: true, redirectUris: ['https://spa.corp.example/cb'] }

  it('gets the task to send it', async () => {
    const { oidc, tasks } = await application(spa)
    expect(oidc).not.toHaveProperty('pkceOptional')
    expect(tasks).toEqual([
      {
        application: 'portal',
        tasks: ['send a code challenge (PKCE), or set pkceOptional until the application does'],
      },
    ])
  })

  it('may go on without it with the option', async () => {
    const { oidc, tasks } = await application(spa, { options: { pkceOptional: true } })
    const task = 'send a code challenge (PKCE), then take the setting pkceOptional away'
    expect([oidc?.pkceOptional, tasks]).toEqual([true, [{ application: 'portal', tasks: [task] }]])
  })
})

describe('a client whose tokens are bound to its certificate', () => {
  const bound = (value: string) => ({ attributes: { 'tls.client.certificate.bound.access.tokens': value } })
  const client = { redirectUris: ['https://site.corp.example/cb'], secret: SECRET }

  it.each([
    ['true', true, {}],
    ['false', undefined, {}],
    ['x', undefined, { 'clients[].attributes.tls.client.certificate.bound.access.tokens x': 1 }],
  ])('has the setting for %s: %s', async (value, expected, lost) => {
    const { oidc, kinds } = await application({ ...client, ...bound(value) })
    expect([oidc?.tlsClientCertificateBoundAccessTokens, kinds]).toEqual([expected, lost])
  })

  it('keeps it as an API application', async () => {
    const { api } = await application({ bearerOnly: true, secret: SECRET, ...bound('true') })
    expect(api?.tlsClientCertificateBoundAccessTokens).toBe(true)
  })
})

describe('a value that an application loses', () => {
  it('is named with its value and what to do, and grouped by the application', async () => {
    const { values, tasks } = await application(
      {
        redirectUris: ['https://portal.corp.example/*', '/relative'],
        secret: '**********',
        serviceAccountsEnabled: true,
        directAccessGrantsEnabled: true,
      },
      {
        realm: {
          roles: { realm: [{ name: 'auditor' }] },
          users: [
            { username: 'service-account-portal', serviceAccountClientId: 'portal', realmRoles: ['auditor'] },
          ],
        },
      },
    )
    expect(tasks).toEqual([
      {
        application: 'portal',
        tasks: [
          'register the exact URI in place of https://portal.corp.example/*',
          'register the exact URI in place of /relative',
          'sign people in with the authorization code flow: the token endpoint takes no passwords of people',
          'make a new secret: signet application rotate-secret',
          'make a service user for what it does without a person, and give it the role auditor: signet service-user create, signet user-grant create',
        ],
      },
    ])
    expect(values).toContainEqual({
      ...{ effect: 'sign-in', about: 'application', task: 'redirect-uri' },
      what: 'clients[].redirectUris with a wildcard or relative',
      record: 'portal',
      value: 'https://portal.corp.example/*',
      next: 'register the exact URI in place of https://portal.corp.example/*',
    })
  })

  it('has no value that can be a secret', async () => {
    const hidden = 'hidden-value-of-a-member'
    const { values } = await application({
      registrationAccessToken: hidden,
      unknown: { clientSecret: hidden, nested: [{ privateKey: hidden }] },
      attributes: { 'jwt.credential.public.key': hidden, 'client.secret.rotated': hidden },
    })
    expect(values.length).toBeGreaterThan(3)
    expect(JSON.stringify(values)).not.toContain(hidden)
  })
})

describe('protocol mappers', () => {
  const mapper = (protocolMapper: string, config: object) => ({ name: 'own', protocolMapper, config })

  it('of an attribute become claims from metadata, also those of an own client scope', async () => {
    const attribute = (name: string, claim: string) =>
      mapper('oidc-usermodel-attribute-mapper', { 'user.attribute': name, 'claim.name': claim })
    const { oidc, kinds, tasks } = await application(
      {
        redirectUris: ['https://site.corp.example/cb'],
        protocolMappers: [attribute('department', 'dept'), attribute('locale', 'locale')],
        defaultClientScopes: ['profile', 'company'],
      },
      {
        realm: {
          clientScopes: [
            {
              name: 'company',
              protocol: 'openid-connect',
              protocolMappers: [attribute('cost center', 'cost')],
            },
          ],
        },
      },
    )
    expect(oidc?.claimMapping).toEqual({ dept: 'department', cost: 'cost center' })
    expect(kinds).toEqual({ 'clients[].claims from metadata, by a scope': 1 })
    expect(tasks).toEqual([
      {
        application: 'portal',
        tasks: ['ask for the scope urn:service:iam:user:metadata, which reveals dept, cost'],
      },
    ])
  })

  it.each([
    ['oidc-usermodel-realm-role-mapper', { 'claim.name': 'authorities' }, 'the claim authorities'],
    ['oidc-usermodel-client-role-mapper', { 'claim.name': 'roles' }, 'the claim roles'],
    ['oidc-hardcoded-claim-mapper', { 'claim.name': 'tier', 'claim.value': 'x' }, 'the claim tier'],
    ['oidc-usermodel-attribute-mapper', { 'user.attribute': 'uid', 'claim.name': 'sub' }, 'the claim sub'],
    ['oidc-usermodel-attribute-mapper', { 'user.attribute': 'a', 'claim.name': 'a.b' }, 'the claim a.b'],
  ])('without a counterpart are named: %s', async (kind, config, value) => {
    const { values } = await application({ protocolMappers: [mapper(kind, config)] })
    expect(values).toContainEqual({
      ...{ effect: 'claims', about: 'application' },
      what: `clients[].protocolMappers ${kind}`,
      record: 'portal',
      value,
      next: `check the claims of its tokens: ${value}`,
    })
  })
})

describe('a protocol mapper that has another form here', () => {
  const tasksOf = async (protocolMapper: string, config: object) => {
    const converted = await application({ protocolMappers: [{ name: 'own', protocolMapper, config }] })
    return { ...converted, told: converted.tasks.flatMap(({ tasks }) => tasks) }
  }

  it('of an audience tells which one tokens have instead', async () => {
    const { told } = await tasksOf('oidc-audience-mapper', { 'included.custom.audience': 'api' })
    expect(told).toEqual(['expect another audience in its tokens: the project p in place of api'])
  })

  it.each(['groups', 'roles'])('of realm roles in the claim %s sets the name of the list', async (claim) => {
    const { oidc, told } = await tasksOf('oidc-usermodel-realm-role-mapper', { 'claim.name': claim })
    expect([oidc?.groupsClaim, told]).toEqual([
      claim,
      [`ask for the scope groups, which adds the claim ${claim}`],
    ])
  })

  it('of prefixed realm roles is named', async () => {
    const config = { 'claim.name': 'roles', 'usermodel.realmRoleMapping.rolePrefix': 'ROLE_' }
    const { oidc, told } = await tasksOf('oidc-usermodel-realm-role-mapper', config)
    expect([oidc?.groupsClaim, told]).toEqual([
      undefined,
      ['check the claims of its tokens: the claim roles'],
    ])
  })
})

it.each([
  ['that of its client', { 'access.token.lifespan': '120' }, '120s'],
  ['that of the realm', {}, '600s'],
])('keeps the lifetime of access tokens: %s', async (_, attributes, lifetime) => {
  const { oidc, kinds } = await application({ attributes }, { realm: { accessTokenLifespan: 600 } })
  expect([oidc?.accessTokenLifetime, kinds]).toEqual([lifetime, {}])
})

it('keeps a public client without any flow public, until its owner gives it one', async () => {
  const { oidc, api, tasks } = await application({
    publicClient: true,
    standardFlowEnabled: false,
    directAccessGrantsEnabled: true,
  })
  expect([oidc?.authMethodType, api]).toEqual(['OIDC_AUTH_METHOD_TYPE_NONE', undefined])
  expect(tasks).toMatchObject([{ tasks: [expect.stringContaining('authorization code flow')] }])
})

it('asks a client that signs assertions to register its key, and for no secret', async () => {
  const { oidc, tasks } = await application({
    clientAuthenticatorType: 'client-jwt',
    secret: 'left from before',
    redirectUris: ['https://portal.corp.example/cb'],
    attributes: {
      'use.jwks.url': 'true',
      'jwks.url': 'https://portal.corp.example/jwks.json',
      'token.endpoint.auth.signing.alg': 'ES256',
      'client.secret.creation.time': '1795934585',
    },
  })
  expect(oidc).toMatchObject({ authMethodType: 'OIDC_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT' })
  expect(oidc).not.toHaveProperty('clientSecretHash')
  expect(tasks).toEqual([
    {
      application: 'portal',
      tasks: [
        'register its public key (--set publicKeyPem), or generate one for it: signet application-key create; Keycloak read it from https://portal.corp.example/jwks.json',
      ],
    },
  ])
})

it('shows a relative redirect URI with the root URL of its client', async () => {
  const { values } = await application({ rootUrl: 'https://portal.corp.example', redirectUris: ['/app/*'] })
  expect(values).toMatchObject([{ value: 'https://portal.corp.example/app/*' }])
})

describe('several realms', () => {
  const realms = ['a', 'b'].map((name) => ({
    ...{ id: name, realm: name, clients: [{ clientId: 'frontend', secret: SECRET }] },
    users: [{ username: 'alice', enabled: true }],
  }))

  it('with one client id are refused by the names of the realms and the client', async () => {
    await expect(convert(realms)).rejects.toThrow(
      'the realms "a" and "b" both have a client "frontend", and a client id is unique here: import them with --prefix-client-ids',
    )
  })

  it('keep their clients and people apart with prefixes, and name each new client id', async () => {
    const { records, values } = await convert(realms, { prefixClientIds: true })
    const clientIds = (records('oidcApps') as readonly { app: { clientId: string } }[]).map(
      ({ app }) => app.clientId,
    )
    expect(clientIds).toEqual(['a.frontend', 'b.frontend'])
    const people = (records('humanUsers') as readonly { userId: string }[]).map(({ userId }) => userId)
    expect(new Set(people).size).toBe(2)
    expect(values).toContainEqual({
      ...{ effect: 'sign-in', about: 'application' },
      what: 'clients[].clientId',
      record: 'a.frontend',
      value: 'frontend',
      next: 'use the new client id in place of frontend',
    })
  })

  it('have a project whose id is not that of a client', async () => {
    const { records } = await convert([
      { id: 'portal', realm: 'one' },
      { id: 'two', realm: 'two', clients: [{ clientId: 'portal' }] },
    ])
    const projects = (records('projects') as readonly { projectId: string }[]).map(
      ({ projectId }) => projectId,
    )
    expect(projects).toEqual(['realm-portal', 'two'])
  })
})

describe('ids', () => {
  it.each(['jo doe', "o'brien", 'jürgen'])('of a person without one stay the same: %s', async (username) => {
    const realm = { id: 'p', realm: 'p', users: [{ username, enabled: true }] }
    const [first, second] = [await convert(realm), await convert(realm)]
    const [{ userId }] = first.records('humanUsers') as unknown as [{ userId: string }]
    expect(userId).toMatch(/^[\da-f]{8}-[\da-f]{4}-5[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
    expect(second.records('humanUsers')).toEqual(first.records('humanUsers'))
  })

  it('that the rule of ids refuses are kept as metadata', async () => {
    const id = 'CORP\\jdoe'
    const { records } = await convert({ id: 'p', realm: 'p', users: [{ id, username: 'j', enabled: true }] })
    expect(records('userMetadata')).toEqual([
      expect.objectContaining({ key: 'keycloak.id', value: Buffer.from(id).toString('base64') }),
    ])
  })

  it('of a realm with a space in its name are made', async () => {
    const { headers } = await convert({ realm: 'React App Realm', users: [] })
    expect(headers[0]?.orgId).toMatch(/^[\da-f-]{36}$/)
  })
})

it('reads bcrypt hashes, and groups without a slash', async () => {
  const bcrypt = '$2a$10$WzQ8nYtq3RkVf0sXe1uBhOgWwE3LaJUoLEdr.s.9CXS/2OTSCh9Py'
  const { records, kinds } = await convert({
    ...{ id: 'p', realm: 'p' },
    roles: { realm: [{ name: 'member' }] },
    groups: [{ name: 'staff', realmRoles: ['member'] }],
    users: [
      {
        ...{ username: 'ann', enabled: true, groups: ['staff'] },
        credentials: [
          {
            type: 'password',
            secretData: JSON.stringify({ value: bcrypt, salt: '' }),
            credentialData: JSON.stringify({ hashIterations: 10, algorithm: 'bcrypt' }),
          },
        ],
      },
    ],
  })
  expect(records('humanUsers')).toMatchObject([{ user: { hashedPassword: { value: bcrypt } } }])
  expect(records('userGrants')).toMatchObject([{ roleKeys: ['member'] }])
  expect(kinds).toEqual({})
})

/** Values that members of a client have in files of real installations, missing, default, other and odd ones. */
const CLIENT_MEMBERS = fc.record(
  {
    enabled: fc.boolean(),
    publicClient: fc.boolean(),
    bearerOnly: fc.boolean(),
    standardFlowEnabled: fc.boolean(),
    implicitFlowEnabled: fc.boolean(),
    directAccessGrantsEnabled: fc.boolean(),
    serviceAccountsEnabled: fc.boolean(),
    consentRequired: fc.boolean(),
    frontchannelLogout: fc.boolean(),
    secret: fc.constantFrom(SECRET, 'short', '**********', '$\x7bSECRET}'),
    rootUrl: fc.constantFrom('https://web.example', '$\x7bauthBaseUrl}', ''),
    redirectUris: fc.subarray(['https://web.example/cb', 'https://web.example/*', '/cb', '*', 'app:/cb']),
    webOrigins: fc.subarray(['+', '*', 'https://web.example']),
    protocolMappers: fc.array(
      fc.record({
        name: fc.constant('own'),
        protocolMapper: fc.constantFrom('oidc-audience-mapper', 'oidc-hardcoded-claim-mapper', 'script'),
        config: fc.record({ 'claim.name': fc.constantFrom('tier', 'sub', '') }),
      }),
      { maxLength: 3 },
    ),
    oddMember: fc.jsonValue(),
  },
  { requiredKeys: [] },
)

it('has each value of a client in the application or in the list', async () => {
  await fc.assert(
    fc.asyncProperty(CLIENT_MEMBERS, async (client) => {
      const { oidc, api, values, kinds } = await application(client)
      const app = oidc ?? api ?? {}
      const told = values.filter(({ record }) => record === 'portal').map(({ what }) => what)
      const isTold = (what: RegExp) => told.some((kind) => what.test(kind))
      for (const uri of client.redirectUris ?? []) {
        const has = JSON.stringify(app.redirectUris ?? []).includes(uri.replace(/^\//, '/'))
        expect(has || isTold(/redirectUris/), uri).toBe(true)
      }
      if (client.secret !== undefined && client.publicClient !== true)
        expect(app.clientSecretHash !== undefined || isTold(/secret/)).toBe(true)
      if (client.directAccessGrantsEnabled) expect(isTold(/directAccessGrants/)).toBe(true)
      if (client.consentRequired) expect(isTold(/consentRequired/)).toBe(true)
      if (client.frontchannelLogout) expect(isTold(/frontchannelLogout/)).toBe(true)
      for (const { protocolMapper } of client.protocolMappers ?? [])
        expect(isTold(new RegExp(protocolMapper))).toBe(true)
      if (!isNothing(client.oddMember)) expect(isTold(/oddMember/)).toBe(true)
      const counted = Object.values(kinds).reduce((sum, count) => sum + count, 0)
      expect(values).toHaveLength(counted)
    }),
    { numRuns: 300 },
  )
})

const isNothing = (value: unknown) =>
  value === undefined ||
  value === null ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0)
