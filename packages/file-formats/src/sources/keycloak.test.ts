import { createHash } from 'node:crypto'
import { readStoredHash } from '@signet/password-hash/stored-hash'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SourceFile } from './conversion.ts'
import { convertAll, documentOf, sourceFile as file, problemsOf } from './conversion-fixture.ts'
import { convertKeycloak } from './keycloak.ts'

const convert = (files: readonly SourceFile[], options = {}) => convertAll(convertKeycloak, files, options)

const SALT = Buffer.alloc(16, 7).toString('base64')
const hash = (algorithm: string, hashIterations: number, bytes: number, additionalParameters = {}) => ({
  type: 'password',
  secretData: JSON.stringify({
    value: Buffer.alloc(bytes, 9).toString('base64'),
    salt: SALT,
    additionalParameters: {},
  }),
  credentialData: JSON.stringify({ hashIterations, algorithm, additionalParameters }),
})
// Values of Keycloak 26, as `server-spi-private/…/Argon2PasswordHashProvider` writes them.
const ARGON2 = hash('argon2', 5, 32, {
  hashLength: ['32'],
  memory: ['7168'],
  type: ['id'],
  version: ['1.3'],
  parallelism: ['1'],
})
const otp = (secretData: object, more: object = {}) => ({
  type: 'otp',
  secretData: JSON.stringify(secretData),
  credentialData: JSON.stringify({
    subType: 'totp',
    digits: 6,
    counter: 0,
    period: 30,
    algorithm: 'HmacSHA1',
    ...more,
  }),
})
const user = (more: object = {}) => ({ id: 'u1', username: 'ann', enabled: true, ...more })
const realm = (more: object = {}) => ({ id: 'r1', realm: 'acme', enabled: true, ...more })

describe('convertKeycloak', () => {
  // Members as in RealmRepresentation and UserRepresentation of the Admin REST API documentation of Keycloak 26.
  it('converts a realm, its roles and groups, clients and users', async () => {
    const secret = 'n3Y9sVJ1cS0n3Y9sVJ1cS0n3Y9sVJ1cS'
    const { parts, records, headers, kinds } = await convert([
      file(
        realm({
          displayName: 'ACME',
          registrationAllowed: true,
          resetPasswordAllowed: false,
          bruteForceProtected: false,
          failureFactor: 30,
          passwordPolicy: 'length(10) and upperCase(1) and digits(2) and hashIterations(27500)',
          users: [
            user({
              firstName: 'Ann',
              email: 'ann@acme.example',
              emailVerified: true,
              createdTimestamp: 1_700_000_000_000,
              attributes: { locale: ['de'], phoneNumber: ['+491701234567'], team: ['a', 'b'], note: ['x'] },
              credentials: [ARGON2, otp({ value: 'abcdefghijklmnop' })],
              requiredActions: ['UPDATE_PASSWORD', 'VERIFY_EMAIL'],
              realmRoles: ['default-roles-acme'],
              groups: ['/staff/leads'],
              federatedIdentities: [{ identityProvider: 'google', userId: '77', userName: 'ann' }],
            }),
            user({ id: 'u2', username: 'off', enabled: false }),
            user({ id: 'u3', username: 'service-account-web', serviceAccountClientId: 'web' }),
          ],
          roles: {
            realm: [
              {
                name: 'default-roles-acme',
                composite: true,
                composites: { realm: ['offline_access', 'reader'] },
              },
              { name: 'offline_access' },
              { name: 'reader', description: 'Reads' },
              { name: 'lead', composite: true, composites: { client: { web: ['edit'] } } },
            ],
            client: { web: [{ name: 'edit' }], 'realm-management': [{ name: 'realm-admin' }] },
          },
          groups: [
            {
              name: 'staff',
              path: '/staff',
              subGroups: [{ name: 'leads', path: '/staff/leads', realmRoles: ['lead'] }],
            },
          ],
          clients: [
            { clientId: 'account' },
            { clientId: 'saml-app', protocol: 'saml' },
            {
              id: 'c1',
              clientId: 'web',
              name: 'Web',
              secret,
              enabled: true,
              protocol: 'openid-connect',
              rootUrl: 'https://web.example',
              redirectUris: ['/callback', 'https://web.example/*'],
              webOrigins: ['+'],
              standardFlowEnabled: true,
              directAccessGrantsEnabled: true,
              serviceAccountsEnabled: true,
              attributes: { 'post.logout.redirect.uris': '+', 'access.token.lifespan': '600' },
            },
          ],
        }),
      ),
    ])
    expect(headers).toEqual([
      {
        orgId: 'r1',
        org: { name: 'ACME' },
        orgState: 'ORG_STATE_ACTIVE',
        initial: { name: 'acme', allowUsernamePassword: true },
        loginPolicy: { allowRegister: true, hidePasswordReset: true },
        lockoutPolicy: { maxPasswordAttempts: 0, maxOtpAttempts: 0 },
        passwordComplexityPolicy: { minLength: 10, hasUppercase: true, hasNumber: true },
      },
    ])
    expect(records('humanUsers')).toEqual([
      {
        userId: 'u1',
        user: {
          userName: 'ann',
          profile: { firstName: 'Ann', preferredLanguage: 'de' },
          email: { email: 'ann@acme.example', isEmailVerified: true },
          phone: { phone: '+491701234567' },
          passwordChangeRequired: true,
          hashedPassword: { value: expect.stringMatching(/^\$argon2id\$v=19\$m=7168,t=5,p=1\$[^=]+$/) },
          totpDevices: [{ secret: 'MFRGGZDFMZTWQ2LKNNWG23TPOA', algorithm: 'SHA1', digits: 6, period: 30 }],
        },
        state: 'USER_STATE_ACTIVE',
        creationDate: '2023-11-14T22:13:20.000Z',
      },
      { userId: 'u2', user: { userName: 'off' }, state: 'USER_STATE_INACTIVE' },
    ])
    expect(records('userGrants')).toEqual([
      { userId: 'u1', projectId: 'r1', roleKeys: ['lead', 'reader', 'web:edit'] },
    ])
    expect(records('projectRoles').map(({ roleKey }) => roleKey)).toEqual(['reader', 'lead', 'web:edit'])
    expect(records('userMetadata')).toEqual([
      { id: 'u1', key: 'team', value: Buffer.from('["a","b"]').toString('base64') },
      { id: 'u1', key: 'note', value: Buffer.from('x').toString('base64') },
      { id: 'u1', key: 'keycloak.groups', value: Buffer.from('["/staff/leads"]').toString('base64') },
    ])
    expect(records('userLinks')).toEqual([
      { userId: 'u1', idpId: 'acme.google', providedUserId: '77', providedUserName: 'ann' },
    ])
    expect(records('oidcApps')).toEqual([
      {
        appId: 'c1',
        app: expect.objectContaining({
          clientId: 'web',
          clientSecretHash: `sha256$${createHash('sha256').update(secret).digest('base64url')}`,
          redirectUris: ['https://web.example/callback'],
          postLogoutRedirectUris: ['https://web.example/callback'],
          additionalOrigins: ['https://web.example'],
          additionalGrantTypes: ['client_credentials'],
          accessTokenLifetime: '600s',
          appType: 'OIDC_APP_TYPE_WEB',
          authMethodType: 'OIDC_AUTH_METHOD_TYPE_BASIC',
        }),
      },
    ])
    expect(kinds).toMatchObject({
      'users[].requiredActions VERIFY_EMAIL': 1,
      'clients[] of protocol saml': 1,
      'clients[] that Keycloak makes itself': 1,
      'clients[].redirectUris with a wildcard or relative': 1,
      'clients[].directAccessGrantsEnabled': 1,
      'realm.passwordPolicy digits': 1,
      'realm.passwordPolicy hashIterations': 1,
    })
    expect(problemsOf(documentOf(parts))).toEqual([])
  })

  it.each([
    ['argon2id', ARGON2, 'argon2id'],
    ['PBKDF2 with SHA-512', hash('pbkdf2-sha512', 210_000, 64), 'pbkdf2-sha512'],
    ['PBKDF2 with SHA-256', hash('pbkdf2-sha256', 27_500, 64), 'pbkdf2-sha256'],
    ['PBKDF2 with SHA-1', hash('pbkdf2', 20_000, 64), 'pbkdf2-sha1'],
    [
      'the members of versions before 8',
      {
        type: 'password',
        algorithm: 'pbkdf2-sha256',
        hashIterations: 27_500,
        salt: SALT,
        hashedSaltedValue: SALT,
      },
      'pbkdf2-sha256',
    ],
  ])('re-encodes a hash: %s', async (_, credential, format) => {
    const { records } = await convert([file(realm({ users: [user({ credentials: [credential] })] }))])
    const [{ user: converted } = { user: undefined }] = records('humanUsers') as readonly { user: never }[]
    const { value } = (converted as unknown as { hashedPassword: { value: string } }).hashedPassword
    expect(readStoredHash(value).format).toBe(format)
  })

  it('leaves a user without the password and second factor that cannot be carried', async () => {
    const credentials = [
      hash('pbkdf2', 2_000_000, 64),
      otp({ value: 'abcdefghijklmnop' }, { subType: 'hotp' }),
      otp({ value: 'abcdefghijklmnop' }, { period: 301 }),
      { type: 'webauthn', secretData: '{}', credentialData: '{}' },
    ]
    const { records, kinds } = await convert([file(realm({ users: [user({ credentials })] }))])
    expect(records('humanUsers')).toEqual([expect.objectContaining({ user: { userName: 'ann' } })])
    expect(kinds).toEqual({
      [Object.keys(kinds)[0] ?? '']: 1,
      'users[].credentials[].type otp that is not TOTP with 6 to 8 digits and 15 to 300 seconds': 2,
      'users[].credentials[].type webauthn': 1,
    })
    expect(Object.keys(kinds)[0]).toMatch(/^users\[\]\.credentials\[\]\.type password: .* takes longer$/)
  })

  it('keeps several TOTP devices with their names and parameters, five at most', async () => {
    const device = (userLabel: string, more = {}) => ({
      ...otp({ value: 'abcdefghijklmnop' }, more),
      userLabel,
    })
    const credentials = [
      device('phone', { algorithm: 'HmacSHA512', digits: 8, period: 60 }),
      ...['a', 'b', 'c', 'd', 'e'].map((name) => device(name)),
    ]
    const { records, kinds } = await convert([file(realm({ users: [user({ credentials })] }))])
    const [{ user: converted }] = records('humanUsers') as unknown as [{ user: { totpDevices: object[] } }]
    const secret = 'MFRGGZDFMZTWQ2LKNNWG23TPOA'
    expect(converted.totpDevices[0]).toEqual({
      name: 'phone',
      secret,
      algorithm: 'SHA512',
      digits: 8,
      period: 60,
    })
    expect(converted.totpDevices).toHaveLength(5)
    expect(kinds).toEqual({ 'users[].credentials[].type otp': 1 })
  })

  it('gives no rights of an administrator, and tells who had them', async () => {
    const roles = { client: { 'realm-management': [{ name: 'realm-admin' }] } }
    const users = [user({ clientRoles: { 'realm-management': ['realm-admin'] } })]
    const { records, kinds } = await convert([file(realm({ roles, users }))])
    expect([records('orgMembers'), records('userGrants')]).toEqual([[], []])
    expect(kinds).toMatchObject({ 'users[].roles: realm-management:realm-admin': 1 })
  })

  it('does not let two roles have one key', async () => {
    const roles = { realm: [{ name: 'web:edit' }], client: { web: [{ name: 'edit' }] } }
    const users = [user({ clientRoles: { web: ['edit'] } })]
    const { records, kinds } = await convert([file(realm({ roles, users }))])
    expect(records('userGrants')).toEqual([])
    expect(kinds).toMatchObject({ 'roles.client[].of a key that another role has': 1 })
  })

  it('joins the files of a folder and keeps realms apart', async () => {
    const { headers, records } = await convert([
      file({ realm: 'acme', users: [user()] }, 'acme-users-0.json'),
      file(realm(), 'acme-realm.json'),
      file({ realm: 'beta', id: 'r2', users: [user({ id: 'u9' })] }, 'beta-realm.json'),
    ])
    expect(headers.map(({ orgId }) => orgId)).toEqual(['r1', 'r2'])
    expect(records('humanUsers').map(({ userId }) => userId)).toEqual(['u1', 'u9'])
    await expect(
      convert([file([realm(), { ...realm(), realm: 'b' }])], { organizationId: 'x' }),
    ).rejects.toThrow('these files hold 2 realms')
  })

  it('refuses files that are no export', async () => {
    await expect(convert([file('{"users":[')])).rejects.toThrow('realm.json: the JSON ends early')
    await expect(convert([file({ users: [] })])).rejects.toThrow('realm.json is no realm export')
    await expect(convert([file('[]')])).rejects.toThrow('there is no realm')
    const adapter = { realm: 'acme', 'auth-server-url': 'https://sso.acme.example', resource: 'web' }
    await expect(convert([file(adapter)])).rejects.toThrow('is the configuration of an adapter')
    const nameless = realm({ users: [{ enabled: true }] })
    await expect(convert([file(nameless)])).rejects.toThrow('none of its 1 users could be read')
    const large = { ...realm(), users: [user({ note: 'x'.repeat(1.6 * 1_048_576) })] }
    await expect(convert([file(large)])).rejects.toThrow('a user is larger than')
  })

  it('counts every member that it does not map, and its document passes the reader', async () => {
    const name = fc.stringMatching(/^[a-z]{1,6}$/).map((text) => `x-${text}`)
    const extra = fc.dictionary(
      name,
      fc.oneof(fc.integer(), fc.string({ minLength: 1 }), fc.constant({ a: 1 })),
    )
    const places = [
      'realm',
      'users[]',
      'clients[]',
      'groups[]',
      'roles.realm[]',
      'users[].credentials[]',
    ] as const
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(extra, extra, extra, extra, extra, extra),
        fc.jsonValue(),
        async (extras, odd) => {
          const [inRealm, inUser, inClient, inGroup, inRole, inCredential] = extras
          const odds = odd === null ? {} : { email: odd, attributes: odd, enabled: odd }
          const { kinds, parts } = await convert([
            file(
              realm({
                ...inRealm,
                users: [user({ ...odds, ...inUser, credentials: [{ ...ARGON2, ...inCredential }] })],
                clients: [{ clientId: 'web', ...inClient }],
                groups: [{ name: 'staff', ...inGroup }],
                roles: { realm: [{ name: 'reader', ...inRole }] },
              }),
            ),
          ])
          for (const [at, members] of extras.entries()) {
            for (const member of Object.keys(members))
              expect(kinds).toHaveProperty([`${places[at]}.${member}`], 1)
          }
          expect(problemsOf(documentOf(parts))).toEqual([])
        },
      ),
      { numRuns: 200 },
    )
  })

  it('takes names of prototypes as plain names, and prints no control characters', async () => {
    const text = `{"realm":"acme","id":"r1","__proto__":{"a":1},"users":[{"id":"u1","username":"ann","constructor":{"b":2},
      "attributes":{"__proto__":["x"],"toString":["y"]},"\\u001b[2J":1}]}`
    const { records, kinds } = await convert([file(text)])
    expect(records('userMetadata').map(({ key }) => key)).toEqual(['__proto__', 'toString'])
    expect(kinds).toMatchObject({ 'realm.__proto__': 1, 'users[].constructor': 1, 'users[].?[2J': 1 })
    expect(Object.hasOwn(Object.prototype, 'a')).toBe(false)
  })
})

describe('identity providers of a realm', () => {
  const provider = (alias: string, providerId: string, config: object, more: object = {}) => ({
    ...{ alias, providerId, enabled: true, internalId: alias },
    config: { clientId: 'signet', ...config },
    ...more,
  })
  const SAML_1 = 'urn:oasis:names:tc:SAML:1.1:nameid-format:'
  const SAML_2 = 'urn:oasis:names:tc:SAML:2.0:nameid-format:'

  it('become providers with their presets, and those without a counterpart are named', async () => {
    const { records, kinds } = await convert([
      file(
        realm({
          identityProviders: [
            provider('corp', 'oidc', {
              ...{ issuer: 'https://idp.example', clientSecret: 'secret', defaultScope: 'openid email' },
              clientAuthMethod: 'client_secret_post',
            }),
            provider('kc', 'keycloak-oidc', {
              authorizationUrl: 'https://kc.example/realms/r/protocol/openid-connect/auth',
              clientSecret: '**********',
            }),
            provider('google', 'google', { hostedDomain: 'acme.example' }, { enabled: false }),
            provider('entra', 'microsoft', { tenantId: 't1' }),
            provider('hub', 'github', { clientSecret: 'of-github', defaultScope: 'user:email' }),
            provider('own-hub', 'github', {
              ...{ baseUrl: 'https://git.acme.example/', apiUrl: 'https://git.acme.example/api/v3' },
            }),
            provider('face', 'facebook', {}),
            provider('adfs', 'saml', {
              ...{ entityId: 'https://kc.example/realms/acme', idpEntityId: 'urn:adfs' },
              ...{ singleSignOnServiceUrl: 'https://adfs.example/sso', signingCertificate: 'AAAA,BBBB' },
              ...{ principalType: 'ATTRIBUTE', principalAttribute: 'employeeNumber' },
              ...{ wantAssertionsEncrypted: 'true', postBindingAuthnRequest: 'true' },
              ...{ wantAuthnRequestsSigned: 'true', nameIDPolicyFormat: `${SAML_2}transient` },
            }),
            provider('named', 'saml', {
              ...{ wantAssertionsEncrypted: 'false', wantAuthnRequestsSigned: 'false' },
              nameIDPolicyFormat: `${SAML_2}persistent`,
            }),
            provider('windows', 'saml', { nameIDPolicyFormat: `${SAML_1}WindowsDomainQualifiedName` }),
            provider('unstable', 'saml', { nameIDPolicyFormat: `${SAML_2}transient` }),
            provider('friendly', 'saml', { principalType: 'FRIENDLY_ATTRIBUTE', principalAttribute: 'mail' }),
          ],
        }),
      ),
    ])
    expect(records('oidcIdps')).toEqual([
      {
        idpId: 'acme.corp',
        idp: {
          ...{ name: 'corp', clientId: 'signet', clientSecret: 'secret', issuer: 'https://idp.example' },
          ...{ clientAuthentication: 'client_secret_post', scopes: ['openid', 'email'] },
        },
      },
      {
        idpId: 'acme.kc',
        idp: { name: 'kc', clientId: 'signet', issuer: 'https://kc.example/realms/r', preset: 'keycloak' },
      },
      {
        idpId: 'acme.google',
        idp: {
          ...{ name: 'google', clientId: 'signet', preset: 'google' },
          requiredClaims: { hd: 'acme.example' },
        },
        state: 'IDP_STATE_INACTIVE',
      },
      {
        idpId: 'acme.entra',
        idp: {
          ...{ name: 'entra', clientId: 'signet', preset: 'entra' },
          issuer: 'https://login.microsoftonline.com/t1/v2.0',
        },
      },
      {
        idpId: 'acme.hub',
        idp: {
          ...{ type: 'github', name: 'hub', clientId: 'signet', clientSecret: 'of-github' },
          scopes: ['user:email'],
        },
      },
      {
        idpId: 'acme.own-hub',
        idp: { type: 'github', name: 'own-hub', clientId: 'signet', issuer: 'https://git.acme.example' },
      },
      {
        idpId: 'acme.adfs',
        idp: {
          ...{ type: 'saml', name: 'adfs', issuer: 'urn:adfs', clientId: 'https://kc.example/realms/acme' },
          ...{ ssoUrl: 'https://adfs.example/sso', certificates: ['AAAA', 'BBBB'] },
          ...{ subjectClaim: 'employeeNumber', nameIdFormat: `${SAML_2}transient` },
          ...{ assertionEncryption: 'required', signAuthnRequests: true },
          assertionConsumerPath: '/realms/acme/broker/adfs/endpoint',
        },
      },
      {
        idpId: 'acme.named',
        idp: {
          ...{ type: 'saml', name: 'named', nameIdFormat: `${SAML_2}persistent` },
          assertionConsumerPath: '/realms/acme/broker/named/endpoint',
        },
      },
      {
        idpId: 'acme.windows',
        idp: { type: 'saml', name: 'windows', assertionConsumerPath: '/realms/acme/broker/windows/endpoint' },
      },
      {
        idpId: 'acme.unstable',
        idp: {
          type: 'saml',
          name: 'unstable',
          assertionConsumerPath: '/realms/acme/broker/unstable/endpoint',
        },
      },
    ])
    expect(kinds).toMatchObject({
      'identityProviders of kind facebook': 1,
      'identityProviders of kind saml with principalType FRIENDLY_ATTRIBUTE': 1,
      [`identityProviders[].config.nameIDPolicyFormat ${SAML_1}WindowsDomainQualifiedName`]: 1,
      [`identityProviders[].config.nameIDPolicyFormat ${SAML_2}transient`]: 1,
      'identityProviders[].config.postBindingAuthnRequest': 1,
      'identityProviders[].config.clientSecret that Keycloak has masked': 1,
    })
  })
})
