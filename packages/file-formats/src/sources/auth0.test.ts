import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { convertAuth0 } from './auth0.ts'
import { convertAll, documentOf, problemsOf, sourceFile } from './conversion-fixture.ts'
import { adviceFor } from './left-out-advice.ts'

const options = { organizationId: 'acme', organizationName: 'ACME' }
const lines = (...values: readonly unknown[]) => values.map((value) => JSON.stringify(value)).join('\n')
const convert = (files: Readonly<Record<string, string>>) =>
  convertAll(
    convertAuth0,
    Object.entries(files).map(([name, text]) => sourceFile(text, name)),
    options,
  )

// The user of the documentation of the User Profile, and a hash as in that of the password export.
const user = (more: object = {}) => ({
  user_id: 'auth0|5ee01a4f7a1c2b0013f3a0a1',
  email: 'ann@acme.example',
  email_verified: true,
  name: 'Ann Example',
  given_name: 'Ann',
  identities: [{ connection: 'db', user_id: '5ee01a4f7a1c2b0013f3a0a1', provider: 'auth0', isSocial: false }],
  ...more,
})
const HASH = '$2b$10$CwTycUXWue0Thq9StjUM0uJ4Xq5Y0hZ1e6Zz1cN4b0Yx6m3p7qK9i'
const hash = (more: object = {}) => ({
  _id: { $oid: '5ee01a4f7a1c2b0013f3a0a1' },
  email: 'ann@acme.example',
  passwordHash: HASH,
  connection: 'db',
  tenant: 'acme',
  ...more,
})

describe('convertAuth0', () => {
  it('converts connections whose providers issue ID tokens, and the identities of their people', async () => {
    const identity = (provider: string, connection: string, id: string) => ({
      ...{ provider, connection, user_id: id, isSocial: false },
    })
    const secret = 'never-shown'
    const { records, kinds } = await convert({
      'connections.json': JSON.stringify([
        { id: 'con_1', name: 'db', strategy: 'auth0', options: { brute_force_protection: true } },
        {
          ...{ id: 'con_2', name: 'corporate', display_name: 'Corporate', strategy: 'oidc' },
          options: {
            ...{ type: 'back_channel', client_id: 'signet', client_secret: secret, scope: 'openid email' },
            ...{ issuer: 'https://idp.example', jwks_uri: 'https://idp.example/keys' },
            ...{ domain_aliases: ['acme.example'], some_password: secret },
          },
        },
        {
          ...{ id: 'con_3', name: 'entra', strategy: 'waad' },
          options: { client_id: 'e', client_secret: secret, tenantId: '8d3f', userid_attribute: 'sub' },
        },
        {
          ...{ id: 'con_4', name: 'workspace', strategy: 'google-apps' },
          options: { client_id: 'g', client_secret: secret, tenant_domain: 'acme.example' },
        },
        {
          ...{ id: 'con_6', name: 'github', strategy: 'github' },
          options: { client_id: 'h', client_secret: secret, scope: ['user:email'] },
        },
        { id: 'con_5', name: 'partner', strategy: 'samlp', options: { signingKey: secret } },
        {
          ...{ id: 'con_7', name: 'portal', strategy: 'samlp' },
          options: { idpinitiated: { enabled: true, client_id: 'web', client_protocol: 'oauth2' } },
        },
        { id: 'con_8', name: 'closed', strategy: 'samlp', options: { idpinitiated: { enabled: false } } },
      ]),
      'users.ndjson': lines(
        user({
          identities: [
            identity('oidc', 'corporate', 'corporate|77'),
            identity('waad', 'entra', 'x'),
            identity('google-apps', 'workspace', 'ann@acme.example'),
            { provider: 'github', connection: 'github', user_id: 583_231, isSocial: true },
          ],
        }),
      ),
    })
    const shown = { clientAuthentication: 'client_secret_post', clientSecret: secret }
    expect(records('oidcIdps')).toEqual([
      {
        idpId: 'acme.corporate',
        idp: {
          ...{ ...shown, name: 'Corporate', clientId: 'signet', issuer: 'https://idp.example' },
          scopes: ['openid', 'email'],
        },
      },
      {
        idpId: 'acme.entra',
        idp: {
          ...{ ...shown, name: 'entra', clientId: 'e', preset: 'entra', subjectClaim: 'sub' },
          issuer: 'https://login.microsoftonline.com/8d3f/v2.0',
        },
      },
      {
        idpId: 'acme.workspace',
        idp: {
          ...{ ...shown, name: 'workspace', clientId: 'g', preset: 'google' },
          requiredClaims: { hd: 'acme.example' },
        },
      },
      {
        idpId: 'acme.github',
        idp: { ...shown, type: 'github', name: 'github', clientId: 'h', scopes: ['user:email'] },
      },
    ])
    expect(records('userLinks')).toMatchObject([
      { idpId: 'acme.corporate', providedUserId: '77' },
      { idpId: 'acme.entra', providedUserId: 'x' },
      // An address is no subject.
      { idpId: 'workspace', providedUserId: 'ann@acme.example' },
      { idpId: 'acme.github', providedUserId: '583231' },
    ])
    expect(kinds).toMatchObject({
      'connections of strategy samlp': 3,
      'connections of strategy samlp with idpinitiated': 1,
      'connections.options.domain_aliases': 1,
      'connections.options.some_password': 1,
    })
    const advice = adviceFor('connections of strategy samlp with idpinitiated')
    expect([advice.effect, advice.next?.('portal')]).toEqual([
      'sign-in',
      expect.stringMatching(/ portal .* providerInitiated=true/),
    ])
    expect(JSON.stringify(kinds)).not.toContain(secret)
  })

  it('joins users, password hashes and roles, and converts clients', async () => {
    const secret = 'x'.repeat(64)
    const { parts, records, kinds } = await convert({
      'users.ndjson': lines(
        user({
          blocked: true,
          created_at: '2020-06-09T23:10:55.000Z',
          user_metadata: { plan: 'gold' },
          app_metadata: { plan: { level: 2 } },
          multifactor: ['google-authenticator'],
        }),
        user({
          user_id: 'google-oauth2|77',
          email: 'ben@acme.example',
          identities: [
            { provider: 'google-oauth2', connection: 'google-oauth2', user_id: '77', isSocial: true },
          ],
        }),
      ),
      'passwords.ndjson': lines(hash(), hash({ _id: { $oid: 'gone' } })),
      'roles.json': JSON.stringify([
        { id: 'rol_1', name: 'reader', description: 'Reads', users: [{ user_id: 'google-oauth2|77' }] },
      ]),
      'clients.json': JSON.stringify([
        {
          client_id: 'abc',
          client_secret: secret,
          name: 'Web',
          app_type: 'regular_web',
          callbacks: ['https://web.example/callback', 'https://*.web.example/callback'],
          grant_types: ['authorization_code', 'refresh_token', 'client_credentials', 'password'],
          jwt_configuration: { alg: 'HS256', lifetime_in_seconds: 36000 },
          oidc_conformant: true,
        },
      ]),
    })
    expect(records('humanUsers')).toEqual([
      {
        userId: 'auth0|5ee01a4f7a1c2b0013f3a0a1',
        user: {
          profile: { firstName: 'Ann', displayName: 'Ann Example' },
          email: { email: 'ann@acme.example', isEmailVerified: true },
          hashedPassword: { value: HASH },
        },
        state: 'USER_STATE_INACTIVE',
        creationDate: '2020-06-09T23:10:55.000Z',
      },
      {
        userId: 'google-oauth2|77',
        user: expect.not.objectContaining({ userName: expect.anything() }),
      },
    ])
    expect(records('userMetadata').map(({ key }) => key)).toEqual(['plan', 'app_metadata.plan'])
    expect(records('userLinks')).toEqual([
      { userId: 'google-oauth2|77', idpId: 'google-oauth2', providedUserId: '77' },
    ])
    expect(records('userGrants')).toEqual([
      { userId: 'google-oauth2|77', projectId: 'acme', roleKeys: ['reader'] },
    ])
    expect(records('oidcApps')).toMatchObject([
      {
        appId: 'abc',
        app: {
          clientSecretHash: `sha256$${createHash('sha256').update(secret).digest('base64url')}`,
          redirectUris: ['https://web.example/callback'],
          additionalGrantTypes: ['client_credentials'],
          authMethodType: 'OIDC_AUTH_METHOD_TYPE_POST',
          idTokenLifetime: '36000s',
        },
      },
    ])
    expect(kinds).toEqual({
      'users.multifactor': 1,
      'password hashes of users that are in no file': 1,
      'clients.grant_types password': 1,
      'clients.callbacks with a wildcard or relative': 1,
      'clients.jwt_configuration.alg HS256': 1,
    })
    expect(problemsOf(documentOf(parts))).toEqual([])
  })

  it('reads hashes in both spellings of their id', async () => {
    const passwords = [
      { _ID: { $oid: 'a1' }, passwordHash: HASH },
      { _id: { $oid: 'a2' }, passwordHash: HASH },
      { _ID: 'a3', passwordHash: HASH },
    ]
    const people = passwords.map((_, at) =>
      user({ user_id: `auth0|a${at + 1}`, email: `a${at}@acme.example` }),
    )
    const { records, kinds } = await convert({
      'users.json': lines(...people),
      'passwords.json': lines(...passwords),
    })
    expect(records('humanUsers').map(({ user: { hashedPassword } }) => hashedPassword)).toEqual(
      Array(3).fill({ value: HASH }),
    )
    expect(kinds).toEqual({})
  })

  it('reads files for the bulk import, with hashes and TOTP secrets, and gives stable ids', async () => {
    const person = {
      email: 'ann@acme.example',
      custom_password_hash: { algorithm: 'bcrypt', hash: { value: HASH } },
      mfa_factors: [{ totp: { secret: 'JBSWY3DPEHPK3PXP' } }, { phone: { value: '+49' } }],
    }
    const { records, kinds } = await convert({ 'users.json': JSON.stringify([person]) })
    expect(records('humanUsers')).toEqual([
      {
        userId: expect.stringMatching(/^[\da-f-]{36}$/),
        user: {
          email: { email: 'ann@acme.example' },
          hashedPassword: { value: HASH },
          otpCode: 'JBSWY3DPEHPK3PXP',
        },
      },
    ])
    expect(kinds).toEqual({ 'users.mfa_factors[] phone': 1 })
  })

  it('keeps people of directories under a stable id, with the old one as metadata', async () => {
    const { records } = await convert({ 'users.json': lines(user({ user_id: 'ad|corp|CORP\\jd' })) })
    const [{ userId }] = records('humanUsers') as unknown as [{ userId: string }]
    expect(userId).toMatch(/^[\da-f-]{36}$/)
    expect(records('userMetadata')).toContainEqual({
      id: userId,
      key: 'auth0.user_id',
      value: Buffer.from('ad|corp|CORP\\jd').toString('base64'),
    })
  })

  it('reads answers with pages', async () => {
    const page = { start: 0, limit: 1, total: 1, clients: [{ client_id: 'abc', name: 'Web' }] }
    const { records } = await convert({ 'clients.json': JSON.stringify(page) })
    expect(records('oidcApps')).toMatchObject([{ appId: 'abc' }])
  })

  it('keeps memberships in organizations as metadata, and names each organization in the list', async () => {
    // The answers of the Management API, with checkpoint pagination.
    const organizations = {
      next: 'MjA',
      organizations: [
        {
          id: 'org_1',
          name: 'north',
          display_name: 'North Ltd',
          branding: { colors: { primary: '#0059d6' } },
          members: [
            {
              user_id: 'auth0|a1',
              email: 'a1@acme.example',
              name: 'A',
              roles: [{ id: 'rol_1', name: 'admin' }],
            },
            { user_id: 'auth0|a2' },
            { email: 'a3@acme.example' },
          ],
        },
        { id: 'org_2', name: 'south', members: [{ user_id: 'auth0|a1' }, { user_id: 'auth0|gone' }] },
        { id: 'org_3', name: 'west' },
      ],
    }
    const people = ['a1', 'a2'].map((id) => user({ user_id: `auth0|${id}`, email: `${id}@acme.example` }))
    const { parts, records, kinds, values } = await convert({
      'users.json': lines(...people),
      'organizations.json': JSON.stringify(organizations),
    })
    const metadata = records('userMetadata') as readonly { id: string; key: string; value: string }[]
    expect(
      metadata.map(({ id, key, value }) => [id, key, JSON.parse(Buffer.from(value, 'base64').toString())]),
    ).toEqual([
      [
        'auth0|a1',
        'auth0.organizations',
        [
          { id: 'org_1', name: 'north', roles: ['admin'] },
          { id: 'org_2', name: 'south' },
        ],
      ],
      ['auth0|a2', 'auth0.organizations', [{ id: 'org_1', name: 'north' }]],
    ])
    expect(kinds).toEqual({
      'organizations.members[] without user_id': 1,
      'organizations.members kept as the metadata auth0.organizations': 2,
      'organizations.display_name': 1,
      'organizations.branding': 1,
      'organizations.without members in the file': 1,
      'organizations of users that are in no file': 1,
    })
    expect(values).toContainEqual(
      expect.objectContaining({ record: 'south', value: 2, effect: 'claims', about: 'other' }),
    )
    expect(values.every(({ next }) => next !== undefined)).toBe(true)
    expect(problemsOf(documentOf(parts))).toEqual([])
  })

  it('refuses a file of which no object could be read', async () => {
    const extension = JSON.stringify([{ Id: 'auth0|1', Email: 'ann@acme.example' }])
    await expect(convert({ 'users.json': extension })).rejects.toThrow(
      'users.json: none of its 1 objects could be read as a user: with user_id',
    )
    await expect(convert({ 'passwords.json': '{"id":"1","hash":"x"}' })).rejects.toThrow(
      'could be read as a password hash',
    )
  })

  it('names the line of a file that is not JSON', async () => {
    await expect(convert({ 'users.json': `${lines(user())}\n{"user_id":` })).rejects.toThrow(
      'users.json: line 2 is not JSON',
    )
    const large = lines(user({ nickname: 'x'.repeat(1.6 * 1_048_576) }))
    await expect(convert({ 'users.json': large })).rejects.toThrow('line 1 is larger')
    await expect(convertAll(convertAuth0, [], {})).rejects.toThrow('needs the id of the organization')
  })

  it('counts every member that it does not map, and its document passes the reader', async () => {
    const name = fc.stringMatching(/^[a-z]{1,6}$/).map((text) => `x-${text}`)
    const extra = fc.dictionary(
      name,
      fc.oneof(fc.integer(), fc.string({ minLength: 1 }), fc.constant({ a: 1 })),
    )
    await fc.assert(
      fc.asyncProperty(fc.tuple(extra, extra, extra, extra, extra), async (extras) => {
        const [inUser, inHash, inClient, inRole, inOrganization] = extras
        const { kinds, parts } = await convert({
          'users.json': lines(user(inUser)),
          'passwords.json': lines(hash(inHash)),
          'clients.json': JSON.stringify([{ client_id: 'abc', ...inClient }]),
          'roles.json': JSON.stringify([{ name: 'reader', ...inRole }]),
          'organizations.json': JSON.stringify([{ name: 'north', ...inOrganization }]),
        })
        const places = {
          ...{ users: inUser, passwords: inHash, clients: inClient, roles: inRole },
          organizations: inOrganization,
        }
        for (const [place, members] of Object.entries(places)) {
          for (const member of Object.keys(members)) expect(kinds).toHaveProperty([`${place}.${member}`], 1)
        }
        expect(problemsOf(documentOf(parts))).toEqual([])
      }),
    )
  })
})
