import { createPublicKey, generateKeyPairSync, type JsonWebKey } from 'node:crypto'
import { startSystem } from '@signet/testing/system/start-system'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMigrationClient, type MigrationClient, migrationSystem } from './migration-client.ts'

// One table of values that may not be registered, taken through the management API, a bootstrap file and an import.

let migration: MigrationClient
beforeAll(async () => {
  migration = createMigrationClient(
    await startSystem(
      migrationSystem({
        organizations: [
          {
            id: 'acme',
            name: 'ACME',
            primaryDomain: 'acme.localhost',
            serviceUsers: [{ id: 'robot', userName: 'robot' }],
            projects: [{ id: 'portal', name: 'Portal' }],
          },
        ],
      }),
    ),
  )
}, 120_000)
afterAll(() => migration?.system.stop())

type Type = 'web' | 'userAgent' | 'native' | 'api'
interface Row {
  readonly type: Type
  /** Settings as the management API has them. */
  readonly settings: Readonly<Record<string, unknown>>
  readonly rule: string
}

const uri = (value: string, rule: string, type: Type = 'web'): readonly Row[] =>
  ['redirectUris', 'postLogoutRedirectUris'].map((member) => ({
    type,
    settings: { [member]: [value] },
    rule,
  }))
const SCHEMES = [
  'javascript:alert(1)//',
  'data:text/html,x',
  'view-source:https://a.example/',
  'mailto:a@b.example',
]

const ROWS: readonly Row[] = [
  ...SCHEMES.flatMap((value) => uri(value, 'must not use the scheme', 'native')),
  ...uri('ws://app.example/cb', 'must not use the scheme', 'native'),
  ...uri('javascript:alert(1)//', 'must not use the scheme'),
  ...uri('com.example.app:/cb', 'only native applications'),
  ...uri('http://attacker.example/cb', 'must use https'),
  ...uri('http://attacker.example/cb', 'must use https', 'userAgent'),
  ...uri('http://attacker.example/cb', 'must use https', 'native'),
  ...uri('http://localhost.attacker.example/cb', 'must use https'),
  ...uri('http://127.0.0.1.attacker.example/cb', 'must use https'),
  ...uri('https://a.example/*', 'must not have a wildcard'),
  ...uri('https://*.a.example/', 'must not have a wildcard'),
  ...uri('*', 'must be an absolute URI'),
  ...uri('/callback', 'must be an absolute URI'),
  ...uri('not a uri', 'must be an absolute URI'),
  ...uri('https://a.example/\u00fc', 'must be an absolute URI in ASCII'),
  ...uri('https://a.example/\n', 'must be an absolute URI in ASCII'),
  ...uri('https://a.example\\@b.example/', 'must be an absolute URI in ASCII'),
  ...uri('https:ok.test', 'must have // and a host'),
  ...uri('https:/ok.test', 'must have // and a host'),
  ...uri('https:///ok.test', 'must have // and a host'),
  ...uri('https://a.example/cb#frag', 'must not have a fragment'),
  ...uri('https://user:pw@a.example/cb', 'must not hold a user name'),
  ...uri('https://a.example/cb', 'an api application takes part in no sign-in', 'api'),
  ...['*', 'null', 'https://a.example/', 'https://a.example/path', 'ftp://a.example', 'https:a.example'].map(
    (value): Row => ({ type: 'web', settings: { allowedOrigins: [value] }, rule: 'must be an origin' }),
  ),
  ...[
    ['http://a.example/logout', 'must use https'],
    ['ftp://x y', 'must be an absolute URI'],
    ['app:/logout', 'must be an http or https URL'],
    ['https:a.example', 'must have // and a host'],
    ['https://a.example/#x', 'must not have a fragment'],
  ].map(([value, rule = '']): Row => ({ type: 'web', settings: { backChannelLogoutUri: value }, rule })),
  ...['sub', 'email_verified', 'groups', 'client_id', 'Active'].map(
    (claim): Row => ({
      type: 'web',
      settings: { claimMapping: { [claim]: 'department' } },
      rule: 'is the name of a claim that is not filled from metadata',
    }),
  ),
  { type: 'api', settings: { claimMapping: { department: '' } }, rule: '' },
  { type: 'web', settings: { accessTokenLifetimeSeconds: 0 }, rule: '' },
  { type: 'web', settings: { accessTokenLifetimeSeconds: 86_401 }, rule: '' },
  { type: 'web', settings: { idTokenLifetimeSeconds: 999_999_999 }, rule: '' },
]
const NAMED = ROWS.map((row, at) => ({ ...row, id: `hostile-${at}`, text: JSON.stringify(row.settings) }))

/** How a bootstrap file writes the settings, and an import. */
const LIFETIMES = {
  accessTokenLifetimeSeconds: 'accessTokenLifetime',
  idTokenLifetimeSeconds: 'idTokenLifetime',
}
const FORMAT_MEMBERS: Readonly<Record<string, string>> = { ...LIFETIMES, allowedOrigins: 'additionalOrigins' }
const FORMAT_TYPES = {
  web: 'OIDC_APP_TYPE_WEB',
  userAgent: 'OIDC_APP_TYPE_USER_AGENT',
  native: 'OIDC_APP_TYPE_NATIVE',
  api: undefined,
}
const translated = (settings: Row['settings'], names: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(settings).map(([member, value]) => [
      names[member] ?? member,
      typeof value === 'number' ? `${value}s` : value,
    ]),
  )
/** The member with the index of a list's entry, or the name of a claim. */
const fieldOf = (settings: Record<string, unknown>) =>
  Object.entries(settings).map(([member, value]) => {
    if (Array.isArray(value)) return `${member}[0]`
    return typeof value === 'object' ? `${member}.${Object.keys(value ?? {})[0]}` : member
  })[0] ?? ''

const bodyOf = async (answer: Promise<Response>) => {
  const response = await answer
  const text = await response.text()
  return { status: response.status, body: text === '' ? {} : JSON.parse(text) }
}

describe('settings of applications that no way in accepts', () => {
  it.each(NAMED)('the management API refuses $text of $type', async ({ id, type, settings, rule }) => {
    const application = { id, name: id, projectId: 'portal', type, ...settings }
    const { status, body } = await bodyOf(migration.manage('POST', '/applications', application))
    expect(status).toBe(400)
    expect(body.message).toContain(`${fieldOf(settings)}: ${rule}`)
  })

  // A response names 20 problems, and one application may have three.
  const PARTS = Array.from({ length: Math.ceil(NAMED.length / 6) }, (_, part) =>
    NAMED.slice(part * 6, part * 6 + 6),
  )
  it.each(PARTS.map((rows) => ({ rows })))(
    'a bootstrap file with them is refused, each named',
    async ({ rows }) => {
      const applications = rows.map(({ id, type, settings }) => ({
        id,
        name: id,
        type,
        ...translated(settings, LIFETIMES),
      }))
      const file = {
        organizations: [{ id: 'acme', projects: [{ id: 'portal', name: 'Portal', applications }] }],
      }
      const { status, body } = await bodyOf(migration.manage('POST', '/apply', file))
      expect(status).toBe(400)
      for (const [at, { settings, rule }] of rows.entries()) {
        const field = `organizations[0].projects[0].applications[${at}].${fieldOf(translated(settings, LIFETIMES))}`
        const problem = body.details.find((detail: { field: string }) => detail.field === field)
        expect(problem, field).toMatchObject({ rule: expect.stringContaining(rule) })
      }
    },
  )

  it('an import leaves them out, and names record, field and rule, dry or not', async () => {
    const app = ({ id, type, settings }: (typeof NAMED)[number]) => ({
      appId: id,
      app: {
        projectId: 'imported-project',
        name: id,
        appType: FORMAT_TYPES[type],
        authMethodType: type === 'userAgent' ? 'OIDC_AUTH_METHOD_TYPE_NONE' : undefined,
        ...translated(settings, FORMAT_MEMBERS),
      },
    })
    const document = {
      orgs: [
        {
          orgId: 'imported',
          org: { name: 'Imported' },
          projects: [{ projectId: 'imported-project', project: { name: 'P' } }],
          oidcApps: NAMED.filter(({ type }) => type !== 'api').map(app),
          apiApps: NAMED.filter(({ type }) => type === 'api').map(app),
        },
      ],
    }
    const expected = NAMED.map(({ id, type, settings, rule }) => ({
      type: type === 'api' ? 'api_app' : 'oidc_app',
      id,
      message: expect.stringContaining(
        `app.${fieldOf(translated(settings, FORMAT_MEMBERS))} is left out: ${rule}`,
      ),
    }))
    const dry = await migration.import(document, { dryRun: true })
    expect(dry.body.errors).toEqual(expect.arrayContaining(expected))
    const { body } = await migration.import(document)
    expect(body.errors).toEqual(expect.arrayContaining(expected))
    expect(body.errors).toHaveLength(expected.length)
    const { rows } = await migration.system.database.query<{ application_id: string; stored: unknown }>({
      name: '',
      text: `SELECT application_id, json_build_array(redirect_uris, post_logout_redirect_uris, allowed_origins,
                    back_channel_logout_uri, access_token_lifetime_seconds, id_token_lifetime_seconds, claim_mapping) AS stored
               FROM directory_read.client_v1 WHERE application_id LIKE 'hostile-%'`,
      values: [],
    })
    expect(rows).toHaveLength(NAMED.length)
    for (const { application_id: id, stored } of rows)
      expect(stored, id).toEqual([[], [], [], null, null, null, {}])
  })

  it('an application without a redirect URI cannot be used for authorize', async () => {
    expect(await authorize('hostile-0', 'javascript:alert(1)//')).toEqual({ status: 400, location: null })
  })

  it('authorize does not redirect to stored URIs that break a rule', async () => {
    const stored = NAMED.filter(({ settings, type }) => type === 'web' && 'redirectUris' in settings)
    const uris = stored.flatMap(({ settings }) => settings.redirectUris as string[])
    const application = { id: 'older', name: 'Older', projectId: 'portal', type: 'web' }
    const { clientId } = (await bodyOf(migration.manage('POST', '/applications', application))).body
    await migration.system.database.query({
      name: '',
      text: "UPDATE directory.application SET redirect_uris = $1 WHERE application_id = 'older'",
      values: [[...uris, 'https://a.example/cb']],
    })
    await expect.poll(async () => (await authorize(clientId, 'https://a.example/cb')).status).toBe(303)
    for (const uri of uris)
      expect(await authorize(clientId, uri), uri).toEqual({ status: 400, location: null })
  })
})

async function authorize(clientId: string, redirectUri: string) {
  const request = { client_id: clientId, redirect_uri: redirectUri, response_type: 'code', scope: 'openid' }
  const url = `${migration.system.base}/oauth/v2/authorize?${new URLSearchParams(request)}`
  const { status, headers } = await fetch(url, { redirect: 'manual' })
  return { status, location: headers.get('location') && status === 400 ? headers.get('location') : null }
}

const rsa = (bits: number) =>
  generateKeyPairSync('rsa', { modulusLength: bits }).publicKey.export({ format: 'jwk' })
const GOOD = rsa(2048)
const KEYS: readonly (readonly [string, JsonWebKey])[] = [
  ['RSA of 1,024 bits', rsa(1024)],
  ['RSA with exponent 1', { ...GOOD, e: 'AQ' }],
  ['RSA with exponent 3', { ...GOOD, e: 'Aw' }],
  ['P-384', generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey.export({ format: 'jwk' })],
]

describe('keys that no way in accepts', () => {
  it.each(KEYS)('%s', async (name, jwk) => {
    const managed = await migration.manage('POST', '/users/robot/keys', { publicKeyJwk: jwk })
    expect(managed.status).toBe(400)
    const keys = [{ id: 'weak', publicKeyJwk: jwk }]
    const serviceUsers = [{ id: 'robot', userName: 'robot', keys }]
    const applied = await migration.manage('POST', '/apply', {
      organizations: [{ id: 'acme', serviceUsers }],
    })
    expect(applied.status).toBe(400)
    const orgId = `keys-${name.replace(/\W/g, '')}`
    const { body } = await migration.import({
      orgs: [
        {
          orgId,
          org: { name: orgId },
          machineUsers: [{ userId: `${orgId}-robot`, user: { userName: 'robot', name: 'Robot' } }],
          machineKeys: [{ keyId: 'weak', userId: `${orgId}-robot`, publicKey: publicKeyText(jwk) }],
        },
      ],
    })
    expect(body.errors).toEqual([
      { type: 'machine_user_key', id: 'weak', message: expect.stringMatching(/^publicKey: must /) },
    ])
    expect(body.success.orgs?.[0]).toMatchObject({ machineUserIds: [`${orgId}-robot`] })
  })
})

describe('links of a policy that no way in accepts', () => {
  it.each(['javascript:alert(1)', 'http://a.example/', 'https:a.example', 'privacy'])('%s', async (value) => {
    const policy = { privacyLink: value, tosLink: 'https://a.example/{{.Lang}}/terms' }
    const managed = await migration.manage('PUT', '/organizations/acme/policies/privacy', policy)
    expect(managed.status).toBe(400)
    const file = { organizations: [{ id: 'acme', privacyPolicy: policy }] }
    expect((await migration.manage('POST', '/apply', file)).status).toBe(400)
    const orgId = `links-${value.replace(/\W/g, '')}`
    const { body } = await migration.import({
      orgs: [{ orgId, org: { name: orgId }, privacyPolicy: policy }],
    })
    const message = expect.stringMatching(/^privacyPolicy\.privacyLink is left out: must be an https URL/)
    expect(body.errors).toEqual([{ type: 'org', id: orgId, message }])
    const stored = await migration.manage('GET', `/organizations/${orgId}/policies/privacy`)
    expect(await stored.json()).toMatchObject({
      notObeyed: [],
      effective: { privacyLink: { value: null }, tosLink: { value: policy.tosLink } },
    })
    const { orgs } = await migration.export({ orgIds: [orgId] })
    expect(orgs[0]?.privacyPolicy).toEqual({ tosLink: policy.tosLink })
  })
})

describe('domains that another organization has proven', () => {
  const organization = (orgId: string) => ({
    orgs: [
      {
        orgId,
        org: { name: `Name of ${orgId}` },
        domains: [
          { domainName: 'z2.example', isVerified: true, isPrimary: true },
          { domainName: `${orgId}.example.net`, isVerified: true },
        ],
        humanUsers: [
          {
            userId: `${orgId}-dup`,
            user: {
              userName: 'dup',
              profile: { firstName: 'D', lastName: 'P' },
              email: { email: 'dup@mail.example', isEmailVerified: true },
            },
          },
        ],
      },
    ],
  })
  const notes = async (document: object, more: object = {}) => {
    const { headers } = await migration.call('POST', '/import', {
      timeout: '1m',
      data_orgs: document,
      ...more,
    })
    const job = await (await migration.call('GET', `/jobs/${headers.get('x-signet-job')}`)).json()
    return (job as { notes: string[] }).notes
  }

  it('stay with it: the import reports the domain and makes another primary one', async () => {
    expect((await migration.import(organization('z2'))).body.errors).toBeUndefined()
    const errors = [
      {
        type: 'domain',
        id: 'z3_z2.example',
        message:
          'is left out: it is a verified domain of another organization; the primary domain is name-of-z3.localhost instead',
      },
    ]
    const shared =
      '1 people have a verified e-mail address that another account has: where both could sign in, it signs in neither'
    expect((await migration.import(organization('z3'), { dryRun: true })).body.errors).toEqual(errors)
    expect(await notes(organization('z3'), { dryRun: true })).toContain(shared)
    const { body } = await migration.import(organization('z3'))
    expect(body.errors).toEqual(errors)
    expect(body.success.orgs).toEqual([expect.objectContaining({ domains: ['z3.example.net'] })])
    expect(await notes(organization('z3'), { onConflict: 'update' })).toContain(shared)
    const domains = await migration.manage('GET', '/organizations/z3/domains')
    expect(await domains.json()).toMatchObject({
      items: [
        { domainName: 'name-of-z3.localhost', isVerified: true, isPrimary: true },
        { domainName: 'z3.example.net', isVerified: true, isPrimary: false },
      ],
    })
  })

  it('are named by the report as objects of their own', async () => {
    const headers = { Prefer: 'respond-async' }
    const document = organization('z4')
    const { id } = await (
      await migration.call('POST', '/import', { timeout: '1m', data_orgs: document }, headers)
    ).json()
    const report = async () => (await migration.call('GET', `/jobs/${id}/report`)).text()
    await expect.poll(report).toContain('"outcome":"created"')
    const lines = (await report()).trim().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toContainEqual({
      orgId: 'z4',
      index: 0,
      type: 'domain',
      id: 'z4_z2.example',
      outcome: 'failed',
      message: expect.stringContaining('verified domain of another organization'),
    })
  })
})

/** Returns a key as the format has it: base64 of a PEM text. */
function publicKeyText(jwk: JsonWebKey): string {
  const key = createPublicKey({ key: jwk, format: 'jwk' })
  return Buffer.from(key.export({ type: 'spki', format: 'pem' }).toString()).toString('base64')
}
