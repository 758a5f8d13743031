import { generateKeyPairSync } from 'node:crypto'
import type { BootstrapFileInput } from '@signet/directory/bootstrap'
import { FLAG_NAMES } from '@signet/protocol/application-settings'
import { fapi2Problems } from '@signet/protocol/fapi2'
import { PROJECT_FIELDS } from '@signet/protocol/fields/project'
import { FOREIGN_PASSWORD_HASHES } from '@signet/testing/foreign-password-hashes'
import { size } from '@signet/testing/sizes'
import fc from 'fast-check'

/** Text that a person might type: any writing system, emoji, quotes; no invisible characters. */
export const text = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
  .map((typed) => typed.trim())
  // An import takes no placeholder of a deployment for a value.
  .filter((typed) => typed !== '' && !/\p{Cc}|\$[({]|##|@@|\{\{/u.test(typed))
const letters = (alphabet: string, length: number) =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength: length, maxLength: length })
const secret = letters('abcdefghijklmnopqrstuvwxyz0123456789', 32)
const url = fc.webPath().map((path) => `https://acme.example/${encodeURIComponent(path.replaceAll('*', ''))}`)

/** Any of the members, each with or without the others. */
const anyOf = <T extends object>(members: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(members, { requiredKeys: [] }) as fc.Arbitrary<Partial<T>>
/** The same for each of the names. */
const each = <const N extends string, T>(names: readonly N[], value: fc.Arbitrary<T>) =>
  Object.fromEntries(names.map((name) => [name, value])) as Record<N, fc.Arbitrary<T>>

const RSA = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey
const CURVES = [generateKeyPairSync('ec', { namedCurve: 'P-256' }), generateKeyPairSync('ed25519')]
/** Public keys of every kind that may be registered, in either notation. */
const keys = fc.subarray([
  { id: 'rsa', publicKeyPem: String(RSA.export({ type: 'spki', format: 'pem' })) },
  ...CURVES.map(({ publicKey }, at) => ({
    id: `k${at}`,
    publicKeyJwk: { ...publicKey.export({ format: 'jwk' }) },
  })),
])

/** An issuer with an uploaded key set, and one whose keys are read by discovery. */
const trustedIssuers = fc.subarray([
  {
    ...{ id: 'cluster', issuer: 'urn:cluster', subject: 'system:serviceaccount:shop:orders' },
    keySet: {
      keys: CURVES.map(({ publicKey }, at) => ({ ...publicKey.export({ format: 'jwk' }), kid: `${at}` })),
    },
  },
  { id: 'ci', issuer: 'https://ci.example', subject: 'repo:acme/*', claims: { environment: 'production' } },
])

/** Long and mixed enough for any policy that is generated. */
const password = secret.map((part) => ({ password: `Aa1!${part}` }))
const passwordHash = fc
  .constantFrom(...Object.values(FOREIGN_PASSWORD_HASHES))
  .map((hash) => ({ passwordHash: hash }))
const withChangeRequired = <T extends object>(proof: fc.Arbitrary<T>) =>
  fc.tuple(proof, anyOf({ passwordChangeRequired: fc.boolean() })).map(([one, more]) => ({ ...one, ...more }))

const user = fc
  .record({
    required: fc.record({
      profile: fc.record({ givenName: text, familyName: text }).chain((names) =>
        anyOf({
          ...each(['displayName', 'nickName', 'gender', 'middleName'], text),
          ...each(['picture', 'profileUrl', 'website'], url),
          preferredLanguage: fc.constantFrom('en', 'de-CH', 'zh-Hant'),
          birthdate: fc.constantFrom('1990-01-31', '0000-02-29', '1970'),
          zoneinfo: fc.constantFrom('Europe/Zurich', 'UTC'),
        }).map((more) => ({ ...names, ...more })),
      ),
    }),
    optional: anyOf({
      email: fc.record({ address: fc.emailAddress(), verified: fc.boolean() }),
      phone: fc.record({ number: fc.constantFrom('+41 79 123 45 67', '+15550100'), verified: fc.boolean() }),
      address: anyOf(each(['streetAddress', 'locality', 'region', 'postalCode', 'country'], text)),
      totpSecret: letters('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 32),
      state: fc.constantFrom('active', 'inactive', 'locked'),
      metadata: fc.dictionary(text, text, { maxKeys: 2 }),
      roles: fc.constantFrom<string[]>(['ORG_OWNER'], ['ORG_OWNER_VIEWER', 'ORG_USER_MANAGER']),
    }),
    proof: fc.oneof(
      { weight: 1, arbitrary: withChangeRequired(password) },
      { weight: 3, arbitrary: withChangeRequired(passwordHash) },
      fc.constant({}),
    ),
    userName: letters("abcxyzABCXYZ0189àéöüßøžı._-'", 8),
  })
  .map(({ required, optional, proof, userName }) => ({ userName, ...required, ...optional, ...proof }))

const serviceUser = anyOf({
  name: text,
  accessTokenType: fc.constantFrom('bearer', 'jwt'),
  accessTokenSigningAlg: fc.constantFrom('RS256', 'ES256', 'EdDSA'),
  roles: fc.constant<string[]>(['ORG_OWNER']),
  clientSecret: secret,
  keys,
  trustedIssuers,
})

const attempts = fc.integer({ min: 0, max: 1_000 })
const lifetime = fc.integer({ min: 0, max: 999_999_999 }).map((seconds) => `${seconds}s`)
const only = (...values: readonly unknown[]) => fc.constantFrom(...values)

/** Policies of an organization, any of them with any of their members, zeros and false among the values. */
const policies = anyOf({
  loginPolicy: anyOf({
    ...each(['allowRegister', 'allowUsernamePassword', 'forceMfa', 'forceMfaLocalOnly'], fc.boolean()),
    ...each(['disableLoginWithEmail', 'identifierFirst', 'sessionEndsWithBrowser'], fc.boolean()),
    ...each(['passwordCheckLifetime', 'externalLoginCheckLifetime'], lifetime),
    ...each(['secondFactorCheckLifetime', 'multiFactorCheckLifetime'], lifetime),
    ...each(['allowExternalIdp', 'allowDomainDiscovery', 'allowImpersonation'], fc.boolean()),
    idps: only([], [{ idpId: 'corporate' }, { idpId: 'google', ownerType: 'IDP_OWNER_TYPE_ORG' }]),
    ...each(['hidePasswordReset', 'ignoreUnknownUsernames', 'disableLoginWithPhone'], only(true)),
    mfaInitSkipLifetime: only('0s'),
    defaultRedirectUri: only(''),
    passwordlessType: only('PASSWORDLESS_TYPE_NOT_ALLOWED'),
    secondFactors: only(['SECOND_FACTOR_TYPE_OTP']),
    multiFactors: only([]),
  }),
  lockoutPolicy: anyOf({ maxPasswordAttempts: attempts, maxOtpAttempts: attempts }),
  passwordComplexityPolicy: anyOf({
    minLength: fc.integer({ min: 1, max: 32 }),
    ...each(['hasLowercase', 'hasNumber'], fc.boolean()),
    ...each(['hasUppercase', 'hasSymbol'], fc.boolean()),
  }),
  privacyPolicy: anyOf({
    ...each(
      ['tosLink', 'privacyLink', 'helpLink', 'docsLink'],
      only('', 'https://acme.example/{{.Lang}}/page'),
    ),
    supportEmail: only('', 'help@acme.example'),
    ...each(['customLink', 'customLinkText'], only('')),
  }),
  labelPolicy: anyOf({
    ...each(['primaryColor', 'primaryColorDark'], only('', '#0b6e4f', '#Abc')),
    ...each(['warnColor', 'backgroundColor', 'fontColor'], only('')),
    ...each(['warnColorDark', 'backgroundColorDark', 'fontColorDark'], only('')),
    hideLoginNameSuffix: only(false),
    disableWatermark: fc.boolean(),
    themeMode: only('THEME_MODE_AUTO', 'THEME_MODE_UNSPECIFIED', 'THEME_MODE_DARK', 'THEME_MODE_LIGHT'),
  }),
  domainPolicy: anyOf({
    userLoginMustBeDomain: fc.boolean(),
    ...each(['validateOrgDomains', 'smtpSenderAddressMatchesInstanceDomain'], only(false)),
  }),
})

const signingAlgorithm = fc.constantFrom('RS256', 'ES256', 'EdDSA')

const settings = anyOf({
  responseTypes: fc.subarray(['code', 'id_token', 'id_token token']),
  grantTypes: fc.subarray([
    'authorization_code',
    'implicit',
    'refresh_token',
    'urn:ietf:params:oauth:grant-type:token-exchange',
    'client_credentials',
    'urn:ietf:params:oauth:grant-type:jwt-bearer',
  ]),
  accessTokenType: fc.constantFrom('bearer', 'jwt'),
  accessTokenSigningAlg: signingAlgorithm,
  idTokenSigningAlg: signingAlgorithm,
  ...each(['accessTokenLifetime', 'idTokenLifetime'], fc.constantFrom('1s', '90m', '24h')),
  ...each(
    FLAG_NAMES.filter((flag) => flag !== 'exactLocalhostPort'),
    fc.boolean(),
  ),
  // Refused for other types than native.
  exactLocalhostPort: fc.constant(false),
  groupsClaim: fc.constantFrom('groups', 'roles'),
  claimMapping: fc.dictionary(fc.constantFrom('department', 'cost_center', 'https://a.example/b'), text),
  crossAppAccess: fc.dictionary(
    fc.constantFrom('https://other.example', 'https://b.example/tenant'),
    fc.record({ clientId: fc.constantFrom('there', 'a b'), scopes: fc.subarray(['read', 'urn:a:b']) }),
  ),
  backChannelLogoutUri: url,
  ...each(['homePage', 'initiateLoginUri'], url),
  allowedOrigins: fc.subarray(['https://app.example', 'http://localhost:3000']),
  keys,
  trustedIssuers,
})

const uris = fc.uniqueArray(url, { maxLength: 2 })
const redirects = anyOf({ redirectUris: uris, postLogoutRedirectUris: uris })

/** Every type with every method that it may have. */
const clientMethod = fc.oneof(
  fc.record({
    type: fc.constantFrom('web', 'native'),
    authMethod: fc.constantFrom('client_secret_basic', 'client_secret_post'),
    clientSecret: secret,
  }),
  fc.record({
    type: fc.constantFrom('web', 'userAgent', 'native'),
    authMethod: fc.constantFrom('none', 'private_key_jwt', 'self_signed_tls_client_auth'),
  }),
)
const browserApplication = fc.tuple(clientMethod, redirects).map(([how, where]) => ({ ...how, ...where }))
const apiApplication = fc.record({
  type: fc.constant('api'),
  authMethod: fc.constantFrom('client_secret_basic', 'private_key_jwt'),
})
const application = fc
  .tuple(text, fc.oneof({ weight: 3, arbitrary: browserApplication }, apiApplication), settings)
  .map(([name, kind, more]) => ({ name, ...kind, ...more }))
  // The file refuses a profile beside settings that it forbids.
  .map((made) =>
    'dpopBoundAccessTokens' in made && made.dpopBoundAccessTokens
      ? { ...made, tlsClientCertificateBoundAccessTokens: false }
      : made,
  )
  .map((made) => ('fapi2' in made && fapi2Problems(made).length > 0 ? { ...made, fapi2: false } : made))

const role = fc
  .tuple(text, anyOf({ displayName: text, group: text }))
  .map(([key, more]) => ({ key, ...more }))
const flags = anyOf({
  ...each(
    Object.entries(PROJECT_FIELDS).flatMap(([name, { kind }]) => (kind === 'flag' ? [name] : [])),
    fc.boolean(),
  ),
  allowedAudiences: fc.subarray(['first-client', 'second-client']),
  // Unique in the instance.
  resourceUri: fc.uuid().map((id) => `urn:uuid:${id}`),
  authorizationDetailTypes: fc.uuid().map((id) => ({
    [`urn:uuid:${id}`]: { title: 'Order', schema: { properties: { actions: { type: 'array' } } } },
  })),
  privateLabelingSetting: only('PRIVATE_LABELING_SETTING_ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY'),
})

/** A project with roles and applications. */
const project = fc
  .record({
    name: text,
    flags,
    roles: fc.uniqueArray(role, { selector: ({ key }) => key, maxLength: 3 }),
    applications: fc.array(application, { maxLength: 3 }),
  })
  .map(({ flags: more, ...rest }) => ({ ...rest, ...more }))

type BootstrapOrganization = NonNullable<BootstrapFileInput['organizations']>[number]

/** The same organizations in every run, so that one that fails can be looked at. */
const SEED = 21_261_129

const organization = fc.record({
  name: text,
  policies,
  domains: fc.array(fc.constantFrom('proven', 'unproven', 'plain'), { maxLength: 3 }),
  users: fc.array(user, { maxLength: 3 }),
  serviceUsers: fc.array(serviceUser, { maxLength: 2 }),
  projects: fc.array(project, { maxLength: 2 }),
})

/** A name of each kind; an application has one. */
export const NAMES_OF_CERTIFICATES = {
  tlsClientAuthSubjectDn: 'CN=client,O=Example\\, Inc.',
  tlsClientAuthSanDns: 'client.example.com',
  tlsClientAuthSanUri: 'spiffe://example.com/client',
  tlsClientAuthSanIp: '2001:db8::1',
  tlsClientAuthSanEmail: 'client@example.com',
} as const

/** Organizations with every member of the bootstrap file that an export carries, and ids that no other one has. */
export function generatedOrganizations(): readonly BootstrapOrganization[] {
  let names = 0
  const withCertificate = () => {
    const [name = '', value] = Object.entries(NAMES_OF_CERTIFICATES)[names % 5] ?? []
    names += 1
    return { name: 'With a certificate', type: 'web', authMethod: 'tls_client_auth', [name]: value }
  }
  const sample = fc.sample(organization, { seed: SEED, numRuns: size('generatedOrganizations') })
  return sample.map(({ policies, domains, users, serviceUsers, projects, name }, at) => {
    const id = `generated-${at}`
    const userIds = users.map((_, index) => `${id}-user-${index}`)
    return {
      id,
      name,
      primaryDomain: `${id}.example`,
      ...policies,
      domains: domains.map((proof, index) => {
        const domainName = `more-${index}.${id}.example`
        return proof === 'plain' ? domainName : { domainName, isVerified: proof === 'proven' }
      }),
      users: users.map((person, index) => ({
        ...person,
        id: `${id}-user-${index}`,
        userName: `${person.userName} ${id} ${index}`,
      })),
      serviceUsers: serviceUsers.map((service, index) => ({
        ...service,
        id: `${id}-service-${index}`,
        userName: `${id} service ${index}`,
        clientId: `${id}-client-${index}`,
      })),
      projects: projects.map(({ applications, ...rest }, index) => ({
        ...rest,
        id: `${id}-project-${index}`,
        grants: userIds.map((userId) => ({ userId, roles: rest.roles.map(({ key }) => key) })),
        applications: [...applications, withCertificate(), withCertificate()].map((application, turn) => ({
          ...application,
          id: `${id}-app-${index}-${turn}`,
          clientId: `${id}-app-client-${index}-${turn}`,
        })),
      })),
    } as BootstrapOrganization
  })
}
