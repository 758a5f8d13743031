import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { convertAuth0 } from './auth0.ts'
import { convertAll, documentOf, problemsOf, sourceFile } from './conversion-fixture.ts'

const convert = (files: Readonly<Record<string, string>>) =>
  convertAll(
    convertAuth0,
    Object.entries(files).map(([name, text]) => sourceFile(text, name)),
    { organizationId: 'acme' },
  )

// The form that the deploy CLI writes without AUTH0_EXPORT_IDENTIFIERS: no ids and no secrets.
const TENANT = `
tenant:
  friendly_name: ACME # the name on its pages
clients:
  - name: Web
    app_type: regular_web
    callbacks: ['https://web.example/callback', "##URL##"]
    grant_types: [authorization_code]
  - name: Portal
    client_id: portal
    app_type: spa
    grant_types: [authorization_code]
roles:
  - name: reader
    description: Reads
    permissions:
      - permission_name: read:account
        resource_server_identifier: https://api.example
organizations:
  - name: north
    connections: [{ name: users, assign_membership_on_login: true }]
connections:
  - name: corporate
    strategy: waad
    options: { client_secret: hidden-1 }
resourceServers: [{ name: API, identifier: https://api.example }]
emailProvider: { name: smtp, credentials: { smtp_pass: hidden-2 } }
rules: []
`

describe('tenant.yaml of the deploy CLI of Auth0', () => {
  it('gives applications and roles, and names every other object with a next step and no secret', async () => {
    const person = { user_id: 'auth0|a1', email: 'ann@acme.example' }
    const files = { 'tenant.yaml': TENANT, 'users.json': JSON.stringify([person]) }
    const { parts, records, kinds, values, tasks } = await convert(files)
    const again = await convert(files)
    const applications = records('oidcApps') as readonly { appId: string; app: { name: string } }[]
    expect(applications).toMatchObject([
      {
        appId: expect.stringMatching(/^[\da-f-]{36}$/),
        app: { name: 'Web', redirectUris: ['https://web.example/callback'] },
      },
      { appId: 'portal', app: { authMethodType: 'OIDC_AUTH_METHOD_TYPE_NONE' } },
    ])
    expect(again.records('oidcApps')).toEqual(applications)
    expect(records('projectRoles')).toEqual([{ projectId: 'acme', roleKey: 'reader', displayName: 'Reads' }])
    expect(records('humanUsers')).toHaveLength(1)
    expect(kinds).toEqual({
      'tenant.tenant': 1,
      'connections.options.tenantId: the issuer of its tenant is not known': 1,
      'tenant.resourceServers': 1,
      'tenant.emailProvider': 1,
      'roles.permissions': 1,
      'organizations.connections': 1,
      'organizations.without members in the file': 1,
      'applications, the client id is not in the file': 1,
      'clients.client_secret is not in the file': 1,
      'clients.callbacks[]: placeholder of the deployment: fill it in first': 1,
      'clients.public client without PKCE': 1,
    })
    expect(values).toContainEqual(
      expect.objectContaining({
        what: expect.stringContaining('connections.options.tenantId'),
        record: 'corporate',
      }),
    )
    expect(tasks).toContainEqual({
      application: 'Web',
      tasks: [`use the client id ${applications[0]?.appId}`],
    })
    expect(JSON.stringify(values)).not.toContain('hidden')
    expect(problemsOf(documentOf(parts))).toEqual([])
  })

  it.each([
    ['the line of what is not YAML', 'clients:\n  - name: @@X@@\n', /tenant\.yaml is not YAML: .*line 2/],
    ['another object', 'columns: { a: email }\n', 'has none of the lists roles, organizations, clients'],
    ['clients without names', 'clients: [{ Id: a }]\n', 'none of its 1 objects could be read as a client'],
  ])('names %s', async (_, text, message) => {
    await expect(convert({ 'tenant.yaml': text })).rejects.toThrow(message)
  })

  it('counts every member that it does not map, and its document passes the reader', async () => {
    const name = fc.stringMatching(/^[a-z]{1,6}$/).map((text) => `x-${text}`)
    const extra = fc.dictionary(name, fc.oneof(fc.integer(), fc.constant({ a: 1 }), fc.constant(true)))
    await fc.assert(
      fc.asyncProperty(extra, extra, extra, async (inTenant, inClient, inRole) => {
        const tenant = {
          ...inTenant,
          clients: [{ name: 'Web', ...inClient }],
          roles: [{ name: 'r', ...inRole }],
        }
        const { kinds, parts } = await convert({ 'tenant.yml': stringify(tenant) })
        const places = { tenant: inTenant, clients: inClient, roles: inRole }
        for (const [place, members] of Object.entries(places)) {
          for (const member of Object.keys(members)) expect(kinds).toHaveProperty([`${place}.${member}`], 1)
        }
        expect(problemsOf(documentOf(parts))).toEqual([])
      }),
    )
  })
})

describe('a tree of the deploy CLI of Auth0', () => {
  const pretty = (value: unknown) => JSON.stringify(value, null, 2)
  const TREE = {
    'clients/Web App.json': pretty({
      name: 'Web App',
      app_type: 'regular_web',
      callbacks: ['https://web.example/callback'],
      grant_types: ['authorization_code'],
    }),
    'connections/corporate.json': pretty({
      name: 'corporate',
      strategy: 'samlp',
      enabled_clients: ['Web App'],
    }),
    'database-connections/users/database.json': pretty({ name: 'users', strategy: 'auth0', options: {} }),
    'grants/Web App.json': pretty({ client_id: 'Web App', audience: 'https://api.example', scope: [] }),
    'organizations/north.json': pretty({ name: 'north', display_name: 'North' }),
    'resource-servers/API.json': pretty({ name: 'API', identifier: 'https://api.example' }),
    'roles/reader.json': pretty({ name: 'reader', description: 'Reads', permissions: [] }),
    'tenant.json': pretty({ friendly_name: 'ACME' }),
    'users.ndjson': JSON.stringify({ user_id: 'auth0|a1', email: 'ann@acme.example' }),
  }

  it('gives applications and roles, and names every other object', async () => {
    const { records, kinds } = await convert(TREE)
    expect(records('oidcApps')).toMatchObject([
      { app: { name: 'Web App', redirectUris: ['https://web.example/callback'] } },
    ])
    expect(records('projectRoles')).toMatchObject([{ roleKey: 'reader', displayName: 'Reads' }])
    expect(records('humanUsers')).toMatchObject([{ userId: 'auth0|a1' }])
    expect(kinds).toMatchObject({
      'tenant.clientGrants': 1,
      'tenant.resourceServers': 1,
      'tenant.tenant': 1,
      'connections of strategy samlp': 1,
    })
  })

  it('is refused by the name of the file that is no JSON', async () => {
    const broken = { ...TREE, 'clients/Other.json': '{ "name": "hidden-1", ' }
    await expect(convert(broken)).rejects.toThrow(/^clients\/Other\.json: /)
    await expect(convert(broken)).rejects.not.toThrow(/hidden/)
  })
})
