import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { convertAll, sourceFile } from './conversion-fixture.ts'
import { convertKeycloak } from './keycloak.ts'

/*
 * Realm files as versions 4 to 26 of Keycloak write them. Each member is missing, has a default value, another one or one of an odd type. A member that is
 * lost in silence is one that the conversion has the same result and the same list without.
 */

const VERSIONS = [4, 8, 12, 15, 18, 21, 24, 26] as const

/** A member with a default value, and another one that says something; from one version on, to another. */
type Member = readonly [name: string, value: unknown, other: unknown, from?: number, to?: number]

const FLAG = (name: string, from = 0): Member => [name, false, true, from]

const REALM: readonly Member[] = [
  ['displayName', '', 'ACME'],
  ['displayNameHtml', '', '<b>ACME</b>'],
  ['enabled', true, false],
  ['accessTokenLifespan', 300, 600],
  ['accessCodeLifespan', 60, 90],
  ['ssoSessionIdleTimeout', 1800, 900],
  ['offlineSessionMaxLifespanEnabled', false, true, 4],
  ['clientSessionMaxLifespan', 0, 60, 9],
  ['oauth2DeviceCodeLifespan', 600, 900, 13],
  ['sslRequired', 'external', 'all'],
  ['passwordPolicy', '', 'length(8) and hashIterations(27500) and notUsername(undefined)'],
  ...['registrationAllowed', 'resetPasswordAllowed', 'rememberMe', 'verifyEmail'].map((name) => FLAG(name)),
  ...['duplicateEmailsAllowed', 'editUsernameAllowed', 'registrationEmailAsUsername'].map((name) =>
    FLAG(name),
  ),
  ['loginWithEmailAllowed', true, false],
  ['bruteForceProtected', false, true],
  FLAG('permanentLockout'),
  ['maxTemporaryLockouts', 0, 3, 24],
  ['bruteForceStrategy', 'MULTIPLE', 'LINEAR', 26],
  ['quickLoginCheckMilliSeconds', 1000, 500],
  ['defaultRoles', ['offline_access', 'uma_authorization'], ['reader'], 4, 12],
  ['requiredCredentials', ['password'], ['kerberos']],
  ['otpPolicyDigits', 6, 8],
  FLAG('otpPolicyCodeReusable', 20),
  ['webAuthnPolicyRpEntityName', 'keycloak', 'ACME', 8],
  ['webAuthnPolicyRpId', '', 'acme.example', 8],
  ['webAuthnPolicyPasswordlessUserVerificationRequirement', 'not specified', 'preferred', 9],
  ['browserSecurityHeaders', {}, { xFrameOptions: 'DENY' }],
  ['smtpServer', {}, { host: 'mail.acme.example', from: 'a@acme.example' }],
  ['loginTheme', '', 'acme'],
  FLAG('eventsEnabled'),
  ['eventsListeners', ['jboss-logging'], ['own-listener']],
  FLAG('internationalizationEnabled'),
  ['supportedLocales', [], ['de', 'en']],
  ['localizationTexts', {}, { de: { hello: 'Hallo' } }, 12],
  ['browserFlow', 'browser', 'own browser'],
  ['firstBrokerLoginFlow', 'first broker login', 'own broker', 24],
  ['authenticationFlows', [], [{ alias: 'own browser', providerId: 'basic-flow' }]],
  ['requiredActions', [], [{ alias: 'TERMS', enabled: true }]],
  ['components', {}, { 'org.keycloak.storage.UserStorageProvider': [{ name: 'ldap', providerId: 'ldap' }] }],
  ['attributes', {}, { frontendUrl: 'https://sso.acme.example' }],
  ['clientPolicies', { policies: [] }, { policies: [{ name: 'fapi', enabled: true }] }, 14],
  FLAG('userManagedAccessAllowed'),
  FLAG('organizationsEnabled', 25),
  ['organizations', [], [{ name: 'north', domains: [{ name: 'north.example' }] }], 25],
  FLAG('adminPermissionsEnabled', 26),
  ['identityProviderMappers', [], [{ name: 'own', identityProviderAlias: 'corp' }]],
  ['scopeMappings', [], [{ client: 'portal', roles: ['reader'] }]],
  ['x-of-an-extension', '', { a: 1 }],
]

const CLIENT: readonly Member[] = [
  ['name', '', 'Portal'],
  ['description', '', 'The portal of ACME'],
  ['adminUrl', '', 'https://portal.example/admin'],
  ['baseUrl', '', 'https://portal.example/home'],
  ['enabled', true, false],
  FLAG('surrogateAuthRequired'),
  FLAG('alwaysDisplayInConsole', 9),
  ['clientAuthenticatorType', 'client-secret', 'client-x509'],
  ['secret', '', 'k3J9vQpX2mT7sLw4Zb8nRd6Y'],
  ['defaultRoles', [], ['reader'], 4, 12],
  ['redirectUris', [], ['https://portal.example/cb', 'https://portal.example/*']],
  ['webOrigins', [], ['https://other.example']],
  ['notBefore', 0, 1_700_000_000],
  FLAG('consentRequired'),
  ['standardFlowEnabled', true, false],
  FLAG('implicitFlowEnabled'),
  FLAG('directAccessGrantsEnabled'),
  FLAG('publicClient'),
  FLAG('serviceAccountsEnabled'),
  FLAG('frontchannelLogout'),
  ['authenticationFlowBindingOverrides', {}, { browser: '5e000000-0000-4000-8000-000000000001' }],
  ['fullScopeAllowed', true, false],
  ['nodeReRegistrationTimeout', -1, 60],
  ['protocolMappers', [], [{ name: 'own', protocolMapper: 'script-own.js', config: {} }]],
  ['defaultClientScopes', ['profile', 'email', 'roles', 'web-origins'], ['profile', 'tenant-scope']],
  ['optionalClientScopes', ['address', 'phone', 'offline_access'], ['plain']],
  FLAG('authorizationServicesEnabled'),
  ['authorizationSettings', {}, { policyEnforcementMode: 'ENFORCING' }],
]

const ATTRIBUTES: readonly Member[] = [
  ['access.token.lifespan', '', '900'],
  ['pkce.code.challenge.method', '', 'S256'],
  ['post.logout.redirect.uris', '', 'https://portal.example/bye', 19],
  ['backchannel.logout.url', '', 'https://portal.example/logout', 12],
  ['backchannel.logout.session.required', 'true', 'false', 12],
  ['oauth2.device.authorization.grant.enabled', 'false', 'true', 13],
  ['oidc.ciba.grant.enabled', 'false', 'true', 13],
  ['require.pushed.authorization.requests', 'false', 'true', 15],
  ['id.token.signed.response.alg', '', 'ES256'],
  ['user.info.response.signature.alg', '', 'RS256'],
  ['tls.client.certificate.bound.access.tokens', 'false', 'true'],
  ['use.refresh.tokens', 'true', 'false'],
  ['acr.loa.map', '{}', '{"gold":2}', 17],
  ['dpop.bound.access.tokens', 'false', 'true', 23],
  ['standard.token.exchange.enabled', 'false', 'true', 26],
  ['login_theme', '', 'acme'],
]

const hash = { value: Buffer.alloc(64, 7).toString('base64'), salt: Buffer.alloc(16, 5).toString('base64') }
const stored = (secret: object, data: object) => ({
  type: 'password',
  secretData: JSON.stringify(secret),
  credentialData: JSON.stringify(data),
})

/** A password as a version writes it. */
function credentialOf(version: number): object {
  if (version < 8) {
    const parts = { hashedSaltedValue: hash.value, salt: hash.salt, hashIterations: 27_500 }
    return { type: 'password', ...parts, algorithm: 'pbkdf2-sha256', counter: 0, digits: 0, period: 0 }
  }
  if (version < 24) return stored(hash, { hashIterations: 27_500, algorithm: 'pbkdf2-sha256' })
  const additionalParameters = {
    ...{ hashLength: ['32'], memory: ['7168'], type: ['id'], version: ['1.3'], parallelism: ['1'] },
  }
  const digest = { ...hash, value: Buffer.alloc(32, 7).toString('base64'), additionalParameters: {} }
  return stored(digest, { hashIterations: 5, algorithm: 'argon2', additionalParameters })
}

const USER: readonly Member[] = [
  ['firstName', '', 'Ann'],
  ['email', '', 'ann@acme.example'],
  ['enabled', false, true],
  ['disableableCredentialTypes', [], ['password']],
  ['requiredActions', [], ['CONFIGURE_TOTP']],
  ['realmRoles', [], ['reader']],
  ['clientRoles', {}, { portal: ['unknown'] }],
  ['groups', [], ['/staff']],
  ['notBefore', 0, 1_700_000_000],
  ['federationLink', '', 'ldap'],
  ['clientConsents', [], [{ clientId: 'portal', grantedClientScopes: ['email'] }]],
  ['federatedIdentities', [], [{ identityProvider: 'corp', userId: '7', userName: 'ann@corp' }]],
  ['createdTimestamp', 0, 1_700_000_000_000],
]

/** Members of the account of a client that has a role. */
const SERVICE_ACCOUNT: readonly Member[] = USER.filter(([name]) =>
  [
    'disableableCredentialTypes',
    'groups',
    'realmRoles',
    'clientRoles',
    'federationLink',
    'requiredActions',
  ].includes(name),
)

const USER_ATTRIBUTES: readonly Member[] = [
  ['plan', [], ['gold']],
  ['locale', [''], ['pt_BR']],
  ['phoneNumber', [''], ['+4930123']],
  ['phoneNumberVerified', [''], ['true']],
]

const GROUP: readonly Member[] = [
  ['attributes', {}, { cost: ['7'] }],
  ['realmRoles', [], ['writer']],
  ['clientRoles', {}, { portal: ['unknown of the group'] }],
  ['description', '', 'All of them', 26],
]
const ROLE: readonly Member[] = [
  ['description', '', 'Reads'],
  ['attributes', {}, { a: ['b'] }],
]

type Choice = 'missing' | 'default' | 'other' | 'odd'
/** A value of a type that no version writes in these places. */
const ODD = { unexpected: [7] }

type Path = readonly (string | number)[]

const choices = (members: readonly Member[]) =>
  fc.tuple(...members.map(() => fc.constantFrom<Choice>('missing', 'default', 'other', 'odd')))

const RECORDS = { REALM, CLIENT, ATTRIBUTES, USER, USER_ATTRIBUTES, SERVICE_ACCOUNT, GROUP, ROLE }
const PLACES: Readonly<Record<keyof typeof RECORDS, Path>> = {
  REALM: [],
  CLIENT: ['clients', 0],
  ATTRIBUTES: ['clients', 0, 'attributes'],
  USER: ['users', 0],
  USER_ATTRIBUTES: ['users', 0, 'attributes'],
  SERVICE_ACCOUNT: ['users', 1],
  GROUP: ['groups', 0],
  ROLE: ['roles', 'realm', 0],
}
const NAMES = Object.keys(RECORDS) as readonly (keyof typeof RECORDS)[]

/** The file of a version, and the paths of its members that say something. */
function fileOf(version: number, chosen: readonly (readonly Choice[])[]) {
  const said: Path[] = []
  const membersOf = (name: keyof typeof RECORDS) =>
    Object.fromEntries(
      RECORDS[name].flatMap(([member, value, other, from = 0, to = 99], at) => {
        const choice = chosen[NAMES.indexOf(name)]?.[at] ?? 'missing'
        if (choice === 'missing' || version < from || version > to) return []
        if (choice !== 'default') said.push([...PLACES[name], member])
        return [[member, choice === 'other' ? other : choice === 'odd' ? ODD : value]]
      }),
    )
  const mapper = { name: 'tenant', protocolMapper: 'script-tenant.js', config: {} }
  const service = {
    serviceAccountsEnabled: true,
    standardFlowEnabled: false,
    secret: 'Zb8nRd6Yk3J9vQpX2mT7sLw4',
  }
  const realm = {
    ...membersOf('REALM'),
    ...{ id: 'acme', realm: 'acme', failureFactor: 3, keycloakVersion: `${version}.0.0` },
    ...(version >= 13 && { defaultRole: { name: 'default-roles-acme', composite: true } }),
    roles: { realm: [{ id: 'r1', name: 'reader', ...membersOf('ROLE') }, { name: 'writer' }], client: {} },
    groups: [{ id: 'g1', name: 'staff', path: '/staff', subGroups: [], ...membersOf('GROUP') }],
    clientScopes: [{ name: 'tenant', protocol: 'openid-connect', protocolMappers: [mapper] }],
    clients: [
      { ...membersOf('CLIENT'), id: 'c1', clientId: 'portal', attributes: membersOf('ATTRIBUTES') },
      { id: 'c2', clientId: 'nightly', ...service },
    ],
    users: [
      {
        id: 'u1',
        username: 'ann',
        credentials: [credentialOf(version)],
        attributes: membersOf('USER_ATTRIBUTES'),
        ...membersOf('USER'),
      },
      {
        id: 'u2',
        username: 'service-account-nightly',
        serviceAccountClientId: 'nightly',
        ...membersOf('SERVICE_ACCOUNT'),
      },
    ],
  }
  return { realm, said }
}

function without(realm: object, path: Path): object {
  const copy = structuredClone(realm) as Record<string, unknown>
  let parent: Record<string | number, unknown> = copy
  for (const part of path.slice(0, -1)) parent = parent[part] as Record<string | number, unknown>
  delete parent[path.at(-1) as string]
  return copy
}

async function resultOf(realm: object): Promise<string> {
  const { parts, values } = await convertAll(convertKeycloak, [sourceFile(realm)], {})
  return JSON.stringify({ parts, values })
}

/** Members that Keycloak itself does not look at, because of others. */
function isInert(path: string, clients: readonly Readonly<Record<string, unknown>>[]): boolean {
  const [client = {}] = clients
  if (path === 'clients.0.attributes.pkce.code.challenge.method') return client.standardFlowEnabled === false
  return client.publicClient === true && /^clients\.0\.(secret|clientAuthenticatorType)$/.test(path)
}

describe('a realm file of any version', () => {
  it('has each member that says something in the result or in the list', async () => {
    const chosen = fc.tuple(...NAMES.map((name) => choices(RECORDS[name])))
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...VERSIONS), chosen, async (version, all) => {
        const { realm, said } = fileOf(version, all)
        const whole = await resultOf(realm)
        const lost: string[] = []
        for (const path of said)
          if ((await resultOf(without(realm, path))) === whole) lost.push(path.join('.'))
        expect(
          lost.filter((path) => !isInert(path, realm.clients)),
          `version ${version}`,
        ).toEqual([])
      }),
      { numRuns: 40 },
    )
  })

  it('counts no default value of its version, and keeps each password', async () => {
    for (const version of VERSIONS) {
      const all = NAMES.map((name) => RECORDS[name].map((): Choice => 'default'))
      const { realm } = fileOf(version, all)
      const { records, kinds } = await convertAll(convertKeycloak, [sourceFile(realm)], {})
      expect(records('humanUsers')).toMatchObject([
        { user: { hashedPassword: { value: expect.any(String) } } },
      ])
      expect(Object.keys(kinds)).toEqual(['realm.roles in realm_access and resource_access of tokens'])
    }
  })
})
