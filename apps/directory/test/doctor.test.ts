import { createHash, generateKeyPairSync } from 'node:crypto'
import { createPool } from '@signet/platform/postgres/pool'
import { createSelfSigned } from '@signet/testing/client-certificates'
import { startRestartablePostgres } from '@signet/testing/system/restartable-postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CHECKS } from '../src/doctor/checks.ts'
import { DoctorStore } from '../src/doctor/doctor.repository.ts'
import { type ManagementFixture, managementFixture } from './management-fixture.ts'
import { exampleDirectory } from './operation-call.ts'

interface Check {
  readonly id: string
  readonly count: number
  readonly findings: readonly { kind: string; id: string; organizationId: string | null; detail: string }[]
}

const LDAP = {
  ...{ clientId: 'cn=signet,dc=example,dc=com', clientSecret: 'hush' },
  ...{ servers: ['ldaps://ldap.example.com'], baseDn: 'dc=example,dc=com' },
}

let management: ManagementFixture
beforeAll(async () => {
  management = await managementFixture()
  await management.directory.apply(exampleDirectory())
  management.bearers.set('owner', { userId: 'root', tokenId: 'root-token', roles: ['IAM_OWNER'] })
  management.bearers.set('org-owner', { userId: 'alice', roles: ['ORG_OWNER acme'] })
  const admin = management.directory.superuser()
  const requested = [
    // Stands for the view that token publishes; its own test makes the rows from grants.
    'CREATE SCHEMA IF NOT EXISTS grants_read',
    'CREATE TABLE grants_read.requested_audience_v1 (client_id text, project_id text)',
    'GRANT USAGE ON SCHEMA grants_read TO signet_directory',
    'GRANT SELECT ON grants_read.requested_audience_v1 TO signet_directory',
    "INSERT INTO grants_read.requested_audience_v1 VALUES ('web', 'signet'), ('web', 'partner-p'), ('web', 'portal')",
  ]
  const day = 86_400_000
  const ends = [-1, 29, 31].map((days) => createSelfSigned({ notAfter: new Date(Date.now() + days * day) }))
  const ders = (await Promise.all(ends)).map(({ certificate }) => certificate.raw.toString('base64'))
  const provider = (id: string, state: string) =>
    `INSERT INTO directory.identity_provider
       (provider_id, organization_id, type, name, issuer, client_id, client_authentication, scopes, sso_url, certificates, state)
     VALUES ('${id}', 'acme', 'saml', 'SAML', 'urn:idp', 'urn:signet', 'none', '{}', 'https://idp.example', '{${ders}}', '${state}')`
  const providers = [provider('saml', 'active'), provider('saml-off', 'inactive')]
  for (const text of [...requested, ...ROWS, ...providers]) await admin.query({ name: '', text })
})
afterAll(() => management?.stop())

const sha256 = (secret: string) => `sha256$${createHash('sha256').update(secret).digest('base64url')}`

/** Objects with one problem for each check, as an instance of an older version may hold them. */
const ROWS = [
  "INSERT INTO directory.project (project_id, organization_id, name) VALUES ('partner-p', 'partner', 'P'), ('zitadel', 'partner', 'Z')",
  'ALTER TABLE directory.project DISABLE TRIGGER refuse_foreign_names',
  "INSERT INTO directory.project (project_id, organization_id, name) VALUES ('web', 'partner', 'W')",
  'ALTER TABLE directory.project ENABLE TRIGGER refuse_foreign_names',
  "UPDATE directory.application SET first_party = true WHERE application_id = 'web'",
  "INSERT INTO directory.member (user_id, level, organization_id, role) VALUES ('bob', 'organization', 'partner', 'ORG_OWNER')",
  "INSERT INTO directory.project_grant (project_id, granted_organization_id) VALUES ('portal', 'partner')",
  "INSERT INTO directory.organization_domain (organization_id, domain, is_verified) VALUES ('partner', 'partner.example', true)",
  `INSERT INTO directory.application (application_id, project_id, client_id, name, type, auth_method, response_types, grant_types,
                                      redirect_uris, pkce_optional)
   VALUES ('moved', 'portal', 'moved', 'Moved', 'user_agent', 'none', '{code,id_token token}', '{authorization_code}', '{}', true)`,
  `INSERT INTO directory.application (application_id, project_id, client_id, name, type, auth_method, response_types, grant_types,
                                      redirect_uris, tls_client_certificate_bound_access_tokens, state)
   VALUES ('by-key', 'portal', 'by-key', 'K', 'api', 'self_signed_tls_client_auth', '{}', '{}', '{}', false, 'active'),
          ('bound', 'portal', 'bound', 'B', 'api', 'private_key_jwt', '{}', '{}', '{}', true, 'active'),
          ('idle', 'portal', 'idle', 'I', 'api', 'self_signed_tls_client_auth', '{}', '{}', '{}', true, 'inactive')`,
  `UPDATE directory.account SET email = 'x@partner.example', email_key = 'x@partner.example', email_verified = true
    WHERE user_id IN ('alice', 'bob')`,
  `INSERT INTO directory.organization_policy (organization_id, kind, document)
   VALUES ('acme', 'login', '{"forceMfa": true, "allowUsernamePassword": false}')
   ON CONFLICT (organization_id, kind) DO UPDATE SET document = EXCLUDED.document`,
  `UPDATE directory.application SET redirect_uris = redirect_uris || '{http://a.example/cb,https:a.example,https://a.example/cb#x,
            https://a.example/cb?x=1,http://[::1]:80/cb,http://sub.localhost/cb,ws://a.example/}', dev_mode = false
    WHERE application_id = 'web'`,
  `INSERT INTO directory.project_role (project_id, role_key, display_name)
   SELECT 'portal', 'a-role-with-a-long-key-' || n, 'Role' FROM generate_series(100, 199) AS n`,
  "INSERT INTO directory.user_grant (user_grant_id, user_id, project_id) VALUES ('of-grace', 'grace', 'portal') ON CONFLICT DO NOTHING",
  `INSERT INTO directory.user_grant_role (user_id, project_id, role_key)
   SELECT 'grace', project_id, role_key FROM directory.project_role WHERE role_key LIKE 'a-role-with%'`,
  "UPDATE directory.application SET id_token_role_assertion = true WHERE application_id = 'web'",
  "INSERT INTO directory.passkey_user (user_id, handle) VALUES ('grace', sha256('grace')), ('bob', sha256('bob'))",
  `INSERT INTO directory.passkey (passkey_id, user_id, rp_id, credential_id, public_key, counter, transports, aaguid, name,
                                  backup_eligible, backed_up, created_at)
   SELECT 'of-' || user_id, user_id, rp_id, sha256('credential'), 'key', 0, '{}', gen_random_uuid(), 'Phone', false, false, now()
     FROM (VALUES ('grace', 'localhost'), ('bob', 'old.example')) AS k (user_id, rp_id)`,
  `INSERT INTO directory.application_secret (application_id, hash)
   VALUES ('web', '${sha256('$\x7bWEB_CLIENT_SECRET}')}'), ('web', '${sha256('a secret of its own')}')`,
  `INSERT INTO directory.service_user_secret (user_id, hash) VALUES ('migrator-id', '${sha256('changeme')}')`,
  "UPDATE directory.account SET given_name = '##NAME##' WHERE user_id = 'grace'",
  "INSERT INTO directory.user_metadata VALUES ('grace', 'team', convert_to('of {{ team }}', 'UTF8')), ('grace', 'plan', 'x')",
  "INSERT INTO directory.organization_metadata VALUES ('acme', 'note', convert_to('$(env:NOTE)', 'UTF8'))",
  "UPDATE directory.project SET name = '@@NAME@@' WHERE project_id = 'portal'",
  "UPDATE directory.project_role SET display_name = '{{NAME}}' WHERE role_key = 'a-role-with-a-long-key-100'",
  `UPDATE directory.application SET allowed_origins = ARRAY['https://$\x7bHOST}'], name = 'W' || chr(8238) WHERE application_id = 'web'`,
  `INSERT INTO directory.organization_policy (organization_id, kind, document)
   VALUES ('acme', 'privacy', '{"tosLink": "javascript:alert(1)", "helpLink": "https://$(HOST)/{{.Lang}}",
                                "docsLink": "https://a.example/{{.Lang}}"}')
   ON CONFLICT (organization_id, kind) DO UPDATE SET document = EXCLUDED.document`,
  `UPDATE directory.account SET picture = 'javascript:alert(1)', birthdate = '2023-02-29', zoneinfo = 'Mars/Phobos',
          preferred_language = 'pt_BR', family_name = 'x' || chr(8238), street_address = E'One\n' || chr(8238) WHERE user_id = 'alice'`,
  `UPDATE directory.account SET website = 'https://bob.example', birthdate = '0000-02-29', zoneinfo = 'europe/Zurich',
          preferred_language = 'de-CH', street_address = E'One\nTwo' WHERE user_id = 'bob'`,
  `INSERT INTO directory.machine_key (user_id, kid, jwk)
   SELECT 'migrator-id', kid, jsonb_build_object('kty', 'RSA', 'n', repeat('A', length), 'e', e)
     FROM (VALUES ('e1', 342, 'AQ'), ('good', 342, 'AQAB'), ('long', 2731, 'AQAB'), ('short', 171, 'AQAB')) AS k (kid, length, e)`,
]

const checksOf = async (query = ''): Promise<readonly Check[]> =>
  (await management.call('GET', `/doctor${query}`)).body.checks

describe('the doctor', () => {
  it('finds no certificates that are off while SIGNET_MTLS_ORIGIN is set', async () => {
    const store = new DoctorStore(management.directory.superuser())
    const found = (takesCertificates: boolean) =>
      store.find('certificates_off', { limit: 10, rpId: undefined, takesCertificates })
    expect([(await found(true)).count, (await found(false)).count]).toEqual([0, 2])
  })

  it('finds each object that a check concerns, with its relevant property', async () => {
    const found = new Map(
      (await checksOf()).map(({ id, findings }) => [id, findings.map(({ id, detail }) => [id, detail])]),
    )
    expect(Object.fromEntries(found)).toEqual({
      reserved_id: [['zitadel', 'project zitadel']],
      foreign_name: [['web', 'client_id web']],
      api_audience: [['web', 'client_id web']],
      foreign_audience: [['web', 'client_id web asks for project partner-p']],
      first_party: [['web', 'client_id web']],
      refused_uri: [
        ['web', 'client_id web has http://a.example/cb'],
        ['web', 'client_id web has https://a.example/cb#x'],
        ['web', 'client_id web has https:a.example'],
        ['web', 'client_id web has ws://a.example/'],
      ],
      guessable_secret: [
        ['migrator-id', 'client_id migrator'],
        ['web', 'client_id web'],
      ],
      placeholder: [
        ['acme', 'member helpLink of its privacy policy'],
        ['acme', 'metadata note'],
        ['grace', 'member given_name'],
        ['grace', 'metadata team'],
        ['portal', 'member display_name'],
        ['portal', 'member name'],
        ['web', 'member allowed_origins'],
      ],
      refused_value: [
        ['acme', 'member tosLink of its privacy policy'],
        ['alice', 'member birthdate'],
        ['alice', 'member family_name'],
        ['alice', 'member picture'],
        ['alice', 'member preferred_language'],
        ['alice', 'member street_address'],
        ['alice', 'member zoneinfo'],
        ['web', 'member name'],
      ],
      refused_key: [
        ['migrator-id', 'key e1'],
        ['migrator-id', 'key long'],
        ['migrator-id', 'key short'],
      ],
      foreign_member: [['bob', 'ORG_OWNER in organization partner']],
      project_grant: [['portal', 'project of acme granted to partner']],
      foreign_email: [
        ['alice', 'x@partner.example in the domain of partner'],
        ['bob', 'x@partner.example in the domain of partner'],
      ],
      shared_email: [
        ['alice', 'x@partner.example'],
        ['bob', 'x@partner.example'],
      ],
      token_without_end: [['first', 'of user migrator-id, without end']],
      second_factor: [['acme', '2 people without']],
      stopped_factor: [['bob', 'user name bob']],
      password_sign_in: [['acme', 'allowUsernamePassword is not true']],
      no_sign_in: [['moved', 'client_id moved']],
      certificates_off: [
        ['bound', 'client_id bound: tlsClientCertificateBoundAccessTokens'],
        ['by-key', 'client_id by-key: self_signed_tls_client_auth'],
      ],
      saml_certificate: [
        [
          'saml',
          expect.stringMatching(/^certificate [0-9a-f]{16} (?:expires|has expired) on \d{4}-\d\d-\d\d$/),
        ],
        ['saml', expect.stringMatching(/^certificate [0-9a-f]{16} (?:expires|has expired) on /)],
      ],
      no_credentials: [['acme', '2 people']],
      pkce_optional: [['moved', 'client_id moved']],
      implicit_access_token: [['moved', 'client_id moved']],
      large_id_token: [['web', 'client_id web: at least 4766 characters for a person with 100 roles']],
    })
    // The server of this test archives nothing, and its clock is that of this process.
    const others = Object.keys(CHECKS).filter((id) => id !== 'wal_archive' && id !== 'process_clock')
    expect([...found.keys()]).toEqual(others)
  })

  it('counts all and lists as many as the limit says', async () => {
    const foreign = (await checksOf('?limit=1')).find(({ id }) => id === 'foreign_email')
    expect(foreign).toMatchObject({ count: 2, findings: [{ id: 'alice' }] })
    expect((await management.call('GET', '/doctor?limit=0')).status).toBe(400)
  })

  it('leaves an application out when its project, a grant or a mark allows the audience', async () => {
    const admin = management.directory.superuser()
    const allowed = [
      "UPDATE directory.application SET may_call_api = true WHERE application_id = 'web'",
      "UPDATE directory.project SET allowed_audiences = '{web}' WHERE project_id = 'partner-p'",
    ]
    for (const text of allowed) await admin.query({ name: '', text })
    const ids = (await checksOf()).map(({ id }) => id)
    expect(ids).not.toContain('api_audience')
    expect(ids).not.toContain('foreign_audience')
  })

  it('shows an owner of an organization the checks that are about one organization alone', async () => {
    const { status, body } = await management.call('GET', '/doctor', undefined, 'org-owner')
    expect(status).toBe(200)
    const ids = body.checks.map(({ id }: { id: string }) => id)
    for (const id of ['foreign_member', 'foreign_email', 'shared_email', 'project_grant', 'process_clock'])
      expect(ids).not.toContain(id)
  })
})

it.each([
  ['ahead', 7_200_000, [{ kind: 'process', id: 'directory', detail: '7200 s ahead' }]],
  ['behind', -60_000, [{ kind: 'process', id: 'directory', detail: '60 s behind' }]],
  ['right', 0, []],
])('names its process when the wall clock is not that of PostgreSQL: %s', async (_, aheadMs, expected) => {
  const wallClock = () => new Date(Date.now() + aheadMs)
  const store = new DoctorStore(management.directory.superuser(), wallClock)
  expect(
    (await store.find('process_clock', { limit: 10, rpId: undefined, takesCertificates: false })).findings,
  ).toMatchObject(expected)
})

it('finds a PostgreSQL that should archive its log and cannot', async () => {
  const server = await startRestartablePostgres()
  const database = createPool({
    url: server.url,
    applicationName: 'test',
    max: 1,
    onIdleError: () => undefined,
  })
  try {
    for (const setting of ["archive_mode = 'on'", "archive_command = 'false'"])
      await database.query({ name: '', text: `ALTER SYSTEM SET ${setting}` })
    await server.restart()
    const find = async () =>
      (
        await new DoctorStore(database).find('wal_archive', {
          limit: 10,
          rpId: undefined,
          takesCertificates: false,
        })
      ).findings
    expect(await find()).toEqual([])
    await database.query({ name: '', text: 'SELECT pg_switch_wal()' })
    await expect
      .poll(find)
      .toMatchObject([
        { kind: 'database', detail: expect.stringMatching(/^nothing is archived, failed at \d{4}-/) },
      ])
  } finally {
    await database.close()
    await server.stop()
  }
}, 60_000)

it('names who holds the static secrets that are left, as many as limit says, and what replaces each', async () => {
  const listed = async (query = '', bearer = 'owner') => {
    const { body } = await management.call('GET', `/doctor${query}`, undefined, bearer)
    return new Map<string, { count: number; replacement: string; secrets: Check['findings'] }>(
      body.staticSecrets.map((one: { readonly kind: string }) => [one.kind, one]),
    )
  }
  const made = { projectId: 'portal', name: 'Named', type: 'web', authMethod: 'client_secret_basic' }
  const { body } = await management.call('POST', '/applications', { ...made, id: 'named-secret' })
  const ldap = {
    ...{ id: 'named-ldap', organizationId: 'acme', type: 'ldap', name: 'Directory' },
    ...LDAP,
  }
  expect((await management.call('POST', '/identity-providers', ldap)).status).toBe(201)
  const smtp = {
    ...{ host: 'smtp.acme.example', port: 465, tls: 'implicit', userName: 'mail', password: 'hush' },
    senderAddress: 'id@acme.example',
  }
  expect((await management.call('PUT', '/organizations/acme/smtp', smtp)).status).toBeLessThan(300)
  const all = await listed()
  expect(all.get('application_secret')?.secrets).toContainEqual({
    ...{ kind: 'application', id: 'named-secret', organizationId: 'acme' },
    detail: `client_id ${body.clientId}, does not end`,
  })
  expect(all.get('ldap_bind_password')).toMatchObject({
    ...{ count: 1, replacement: expect.stringContaining('nothing yet') },
    secrets: [{ kind: 'identity_provider', id: 'named-ldap', detail: `binds as ${LDAP.clientId}` }],
  })
  expect(all.get('mail_server_password')?.secrets).toContainEqual({
    ...{ kind: 'organization', id: 'acme', organizationId: 'acme' },
    detail: 'smtp.acme.example:465 as mail',
  })
  expect(all.get('database_password')?.secrets).toMatchObject([
    { kind: 'database', organizationId: null, detail: 'role signet_directory' },
  ])
  for (const { count, secrets } of all.values()) expect(secrets).toHaveLength(Math.min(count, 100))
  const first = (await listed('?limit=1')).get('application_secret')
  expect(first?.count).toBe(all.get('application_secret')?.count)
  expect(first?.secrets).toHaveLength(1)
  // Owners of one organization see the holders in it.
  const own = [...(await listed('', 'org-owner')).values()].flatMap(({ secrets }) => secrets)
  expect(own).not.toHaveLength(0)
  expect(new Set(own.map(({ organizationId }) => organizationId))).toEqual(new Set(['acme']))
  await management.call('DELETE', '/applications/named-secret')
  await management.call('DELETE', '/identity-providers/named-ldap')
  await management.call('DELETE', '/organizations/acme/smtp')
})

it('counts the static secrets that are left by their kinds, and shows none', async () => {
  const secretsOf = async (bearer: string) => {
    const { body } = await management.call('GET', '/doctor', undefined, bearer)
    expect(JSON.stringify(body)).not.toContain('sha256$')
    return new Map<string, number>(
      body.staticSecrets.map(({ kind, count }: { kind: string; count: number }) => [kind, count]),
    )
  }
  const before = await secretsOf('owner')
  expect(before.get('application_secret')).toBeGreaterThan(0)
  expect(before.get('service_user_secret')).toBeGreaterThan(0)
  expect(before.get('database_password')).toBe(1)
  const made = { projectId: 'portal', name: 'Counted', type: 'web', authMethod: 'client_secret_basic' }
  const { body } = await management.call('POST', '/applications', made)
  expect((await secretsOf('owner')).get('application_secret')).toBe(
    (before.get('application_secret') ?? 0) + 1,
  )
  const ofOrganization = await secretsOf('org-owner')
  expect(ofOrganization.get('application_secret')).toBeGreaterThan(0)
  expect(ofOrganization.has('database_password')).toBe(false)
  // The method counts, and not a secret that is left over.
  await management.call('PATCH', `/applications/${body.id}`, { authMethod: 'private_key_jwt' })
  expect((await secretsOf('owner')).get('application_secret')).toBe(before.get('application_secret'))
  const provider = {
    organizationId: 'acme',
    name: 'Counted',
    issuer: 'https://counted.example',
    clientId: 'c',
  }
  const { body: added } = await management.call('POST', '/identity-providers', {
    ...provider,
    clientSecret: 's',
  })
  const ofProviders = async () => (await secretsOf('owner')).get('identity_provider_secret') ?? 0
  const counted = await ofProviders()
  expect(counted).toBe((before.get('identity_provider_secret') ?? 0) + 1)
  // A key signs and is not sent.
  const { privateKey } = generateKeyPairSync('ed25519')
  const clientSecret = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
  const keyed = { clientAuthentication: 'private_key_jwt', clientSecret }
  await management.call('PATCH', `/identity-providers/${added.id}`, keyed)
  expect(await ofProviders()).toBe(counted - 1)
})
