import { readStoredHash } from '@signet/password-hash/stored-hash'
import { describe, expect, it } from 'vitest'
import { convertAuthentik } from './authentik.ts'
import { convertAll, problemsOf, sourceFile } from './conversion-fixture.ts'

const convert = (files: Readonly<Record<string, unknown>>, options = {}) =>
  convertAll(
    convertAuthentik,
    Object.entries(files).map(([name, text]) => sourceFile(text, name)),
    { organizationId: 'acme', ...options },
  )

type Converted = Awaited<ReturnType<typeof convert>>
const documentOf = ({ parts, headers }: Converted) => {
  const lists: Record<string, unknown[]> = {}
  for (const part of parts)
    if (part.kind === 'record') lists[part.list] = [...(lists[part.list] ?? []), part.record]
  return JSON.stringify({ orgs: [{ ...headers[0], ...lists }] })
}

const SECRET = 'k3J9vQpX2mT7sLw4Zb8nRd6Y'
const HASH = `pbkdf2_sha256$870000$c2FsdHNhbHQ$${Buffer.alloc(32, 7).toString('base64')}`

// The form of `ak export_blueprint`: primary keys in place of references, no tags, no hashes.
const EXPORT = `
context: {}
entries:
- attrs: {name: staff, parent: null, is_superuser: false}
  conditions: []
  id: null
  identifiers: {pk: 0f1d2c3b-0000-4000-8000-000000000001}
  model: authentik_core.group
  permissions: []
  state: present
- attrs: {name: editors, parent: 0f1d2c3b-0000-4000-8000-000000000001, attributes: {cost: 7}}
  identifiers: {pk: 0f1d2c3b-0000-4000-8000-000000000002}
  model: authentik_core.group
  state: present
- attrs:
    username: ann
    name: Ann Example
    email: ann@acme.example
    is_active: true
    groups: [0f1d2c3b-0000-4000-8000-000000000002]
    attributes: {plan: gold, settings: {locale: pt_BR, theme: dark}}
    path: users
    type: internal
    last_login: '2026-01-02T03:04:05Z'
  identifiers: {pk: 4}
  model: authentik_core.user
  state: present
- attrs: {username: outpost-1, name: Outpost, type: internal_service_account, path: x}
  identifiers: {pk: 5}
  model: authentik_core.user
- attrs: {managed: goauthentik.io/providers/oauth2/scope-profile, name: "authentik default OAuth Mapping: OpenID 'profile'", scope_name: profile, expression: x}
  identifiers: {pk: 1a000000-0000-4000-8000-000000000001}
  model: authentik_providers_oauth2.scopemapping
- attrs: {name: tenant of the person, scope_name: tenant, expression: x}
  identifiers: {pk: 1a000000-0000-4000-8000-000000000002}
  model: authentik_providers_oauth2.scopemapping
- attrs:
    name: Portal provider
    authorization_flow: 2b000000-0000-4000-8000-000000000001
    client_type: confidential
    client_id: Zk3v9
    client_secret: ${SECRET}
    access_code_validity: minutes=1
    access_token_validity: hours=1;minutes=5
    refresh_token_validity: days=30
    redirect_uris:
    - {matching_mode: strict, url: 'https://portal.example/callback'}
    - {matching_mode: regex, url: 'https://.*\\.portal\\.example/callback'}
    - {matching_mode: strict, redirect_uri_type: logout, url: 'https://portal.example/bye'}
    sub_mode: hashed_user_id
    property_mappings: [1a000000-0000-4000-8000-000000000001, 1a000000-0000-4000-8000-000000000002]
    encryption_key: 3c000000-0000-4000-8000-000000000001
  identifiers: {pk: 11}
  model: authentik_providers_oauth2.oauth2provider
- attrs: {name: Portal, slug: portal, provider: 11, group: Work, policy_engine_mode: any}
  identifiers: {pk: 4d000000-0000-4000-8000-000000000001}
  model: authentik_core.application
- attrs: {name: Old, slug: old, provider: 12}
  identifiers: {pk: 4d000000-0000-4000-8000-000000000002}
  model: authentik_core.application
- attrs: {name: Welcome, slug: default-flow, designation: authentication}
  identifiers: {pk: 5e000000-0000-4000-8000-000000000001}
  model: authentik_flows.flow
metadata:
  labels: {blueprints.goauthentik.io/generated: 'true'}
  name: authentik Export
version: 1
`

// The form that people keep with their deployments.
const WRITTEN = `
version: 1
metadata: { name: shop }
entries:
  - model: authentik_blueprints.metaapplyblueprint
    attrs: { identifiers: { name: Default } }
  - model: authentik_core.group
    id: buyers
    identifiers: { name: buyers }
  - model: authentik_core.group
    state: absent
    identifiers: { name: retired }
  - model: authentik_core.user
    state: created
    identifiers: { username: ben }
    attrs:
      name: !Format ["%s", Ben]
      email: !Env BEN_ADDRESS
      password: !Env BEN_PASSWORD
      groups: [!KeyOf buyers, !Find [authentik_core.group, [name, authentik Admins]]]
  - model: authentik_core.user
    identifiers: { username: cleo }
    attrs: { password: Correct-Horse-7, is_active: false }
  - model: authentik_providers_oauth2.oauth2provider
    id: shop
    identifiers: { name: shop }
    attrs:
      client_type: public
      client_id: shop
      redirect_uris: "https://shop.example/callback\\nhttps://shop.example/.*"
      grant_types: [authorization_code, password]
      property_mappings:
        - !Find [authentik_providers_oauth2.scopemapping, [managed, goauthentik.io/providers/oauth2/scope-openid]]
        - !Find [authentik_providers_oauth2.scopemapping, [scope_name, tenant]]
  - model: authentik_core.application
    identifiers: { slug: shop }
    attrs: { name: Shop, provider: !KeyOf shop }
`

const BOMB = ['a', 'b', 'c', 'd', 'e'].reduce(
  (lines, name, at, names) =>
    `${lines}${name}: &${name} [${Array(9).fill(at === 0 ? 'x' : `*${names[at - 1]}`)}]\n`,
  '',
)

describe('blueprints of Authentik', () => {
  it('give people with hashes of the table, groups as roles and applications', async () => {
    const uuid = '6f000000-0000-4000-8000-000000000001'
    const converted = await convert({
      'export.yaml': EXPORT,
      'passwords.ndjson': `{"username":"ann","uuid":"${uuid}","password":"${HASH}"}\n{"username":"gone","password":"!x"}\n`,
    })
    expect(problemsOf(documentOf(converted))).toEqual([])
    expect(converted.records('humanUsers')).toEqual([
      {
        userId: uuid,
        state: 'USER_STATE_ACTIVE',
        user: {
          userName: 'ann',
          profile: { displayName: 'Ann Example', preferredLanguage: 'pt-BR' },
          email: { email: 'ann@acme.example' },
          hashedPassword: { value: HASH },
        },
      },
    ])
    expect(readStoredHash(HASH)).not.toHaveProperty('problem')
    expect(converted.records('userMetadata')).toEqual([
      { id: uuid, key: 'plan', value: Buffer.from('gold').toString('base64') },
    ])
    expect(converted.records('userGrants')).toEqual([
      { userId: uuid, projectId: 'acme-authentik', roleKeys: ['editors', 'staff'] },
    ])
    expect(converted.records('oidcApps')).toEqual([
      {
        appId: 'Zk3v9',
        app: expect.objectContaining({
          projectId: 'acme-authentik',
          name: 'Portal',
          clientId: 'Zk3v9',
          clientSecretHash: expect.stringMatching(/^sha256\$/),
          redirectUris: ['https://portal.example/callback'],
          postLogoutRedirectUris: ['https://portal.example/bye'],
          accessTokenLifetime: '3900s',
          authMethodType: 'OIDC_AUTH_METHOD_TYPE_BASIC',
          groupsClaim: 'groups',
          pkceOptional: true,
        }),
      },
    ])
  })

  it('are in the result or in the list, member by member, with a next step and no secret', async () => {
    const converted = await convert({ 'export.yaml': EXPORT })
    expect(converted.kinds).toEqual({
      'clients[].redirectUris with a wildcard or relative': 1,
      'clients[].sub': 1,
      'clients[].roles in a list, by a scope': 1,
      'clients[].protocolMappers': 1,
      'clients[].refresh_token_validity': 1,
      'clients[].encryption_key': 1,
      'clients[].application.group': 1,
      'clients[] of protocol other than OAuth 2.0': 1,
      'groups[].attributes': 1,
      'users[] that are service accounts': 1,
      'users[].attributes.settings.theme': 1,
      'entries of authentik_flows.flow': 1,
    })
    expect(converted.values.find(({ what }) => what === 'clients[].sub')).toMatchObject({
      record: 'Zk3v9',
      value: 'hashed_user_id',
      next: expect.stringContaining('sub is another value here (it was hashed_user_id)'),
    })
    expect(JSON.stringify(converted.values)).not.toContain(SECRET)
  })

  it('of a deployment keep no placeholder as a value, and make applications of their references', async () => {
    const converted = await convert({ 'shop.yaml': WRITTEN })
    expect(problemsOf(documentOf(converted))).toEqual([])
    expect(converted.records('humanUsers')).toMatchObject([
      { state: 'USER_STATE_ACTIVE', user: { userName: 'ben' } },
      { state: 'USER_STATE_INACTIVE', user: { userName: 'cleo', password: 'Correct-Horse-7' } },
    ])
    expect(converted.records('humanUsers')[0]).not.toHaveProperty('user.password')
    expect(converted.records('userGrants')).toMatchObject([{ roleKeys: ['buyers', 'authentik Admins'] }])
    expect(converted.records('oidcApps')).toMatchObject([
      {
        appId: 'shop',
        app: {
          name: 'Shop',
          redirectUris: ['https://shop.example/callback'],
          appType: 'OIDC_APP_TYPE_USER_AGENT',
        },
      },
    ])
    expect(converted.kinds).toMatchObject({
      'users[].password: placeholder of the deployment: fill it in first': 1,
      'users[].email: placeholder of the deployment: fill it in first': 1,
      'users[].name: placeholder of the deployment: fill it in first': 1,
      'clients[].public client without PKCE': 1,
      'clients[].grant_types password': 1,
      'clients[].protocolMappers': 1,
      'entries that the blueprint deletes': 1,
    })
  })

  it.each([
    'md5$$5f4dcc3b5aa765d61d8327deb882cf99',
    '5f4dcc3b5aa765d61d8327deb882cf99',
    'PBKDF2_SHA256$1$c2FsdA$aGFzaA',
  ])('give no hash %s as a password', async (password) => {
    const row = await convert({
      'export.yaml': EXPORT,
      'passwords.ndjson': JSON.stringify({ username: 'ann', password }),
    })
    const ofBlueprint = await convert({
      'export.yaml': EXPORT.replace('    path: users', `    password_hash: ${password}`),
    })
    for (const { records, values } of [row, ofBlueprint]) {
      expect(records('humanUsers')[0]).not.toHaveProperty('user.password')
      expect(JSON.stringify(values)).not.toContain(password)
    }
  })

  it('name entries by ids of their own file, which others have too, of the model, and none that is deleted', async () => {
    const file = (group: string, user: string, more = '') =>
      `entries:\n- { model: authentik_core.group, id: g, identifiers: { name: ${group} }${more} }\n- { model: authentik_core.user, id: u, identifiers: { username: ${user} }, attrs: { groups: [!KeyOf g, !KeyOf u] } }\n`
    const converted = await convert({
      'a.yaml': file('viewers', 'ann'),
      'b.yaml': file('admins', 'ben'),
      'c.yaml': file('retired', 'cleo', ', state: absent'),
    })
    expect(converted.records('userGrants')).toMatchObject([
      { roleKeys: ['viewers'] },
      { roleKeys: ['admins'] },
    ])
    expect(converted.kinds).toMatchObject({ 'users[].groups[] that are in no file': 4 })
  })

  it('have anchors, also at tags', async () => {
    const text = WRITTEN.replace('!Env BEN_ADDRESS', '&a !Env BEN_ADDRESS').replace('!Env BEN_PASSWORD', '*a')
    expect((await convert({ 'shop.yaml': text })).kinds).toMatchObject({
      'users[].email: placeholder of the deployment: fill it in first': 1,
      'users[].password: placeholder of the deployment: fill it in first': 1,
    })
  })

  it.each([
    [
      'a client id that is to be filled in',
      WRITTEN.replace('client_id: shop', 'client_id: !Env SHOP_ID'),
      /client_id "\$\{SHOP_ID\}" is a placeholder/,
    ],
    ['no entries', 'kind: ConfigMap', /shop\.yaml is no blueprint of Authentik: it has no entries/],
    ['an entry without model', 'entries: [{ attrs: {} }]', /shop\.yaml: entries\[0\] has no model/],
    ['too many aliases', `${BOMB}entries: [{ model: x, attrs: { a: *e } }]`, /^shop\.yaml has aliases/],
    ['an alias of itself', 'entries: [{ model: x, attrs: &a { a: *a } }]', /^shop\.yaml has aliases/],
    ['an alias of nothing', 'entries: [{ model: x, attrs: { a: *a } }]', /^shop\.yaml has aliases/],
    ['no YAML', 'entries: [', /shop\.yaml is not YAML: .* line 1/],
  ])('with %s are refused by the name of the file and without a value', async (_, text, message) => {
    await expect(convert({ 'shop.yaml': text })).rejects.toThrow(message)
  })
})
