import { generateKeyPairSync } from 'node:crypto'
import { membersOf, RECORD_SCHEMAS } from '@signet/file-formats/export/format-schema'
import { LIST_NAMES, shapeOf } from '@signet/file-formats/export/lists'
import { organizationHeader } from '@signet/file-formats/export/organization-header'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { changedFields } from '../src/undo/changed-fields.ts'
import { createOpener, objectRows } from '../src/undo/object-rows.repository.ts'
import { OBJECT_TABLES } from '../src/undo/object-tables.ts'
import { batchFixture } from './batch-fixture.ts'
import { type DirectoryFixture, directoryFixture } from './directory-fixture.ts'

type Json = Readonly<Record<string, unknown>>

let fixture: DirectoryFixture
let { apply, batchOf } = {} as ReturnType<typeof batchFixture>
beforeAll(async () => {
  fixture = await directoryFixture()
  ;({ apply, batchOf } = batchFixture(fixture))
  await fixture.apply({
    organizations: [
      { id: 'acme', name: 'ACME', primaryDomain: 'acme.localhost' },
      { id: 'other', name: 'Other', primaryDomain: 'other.localhost' },
    ],
  })
  await write('humanUsers', { userId: 'ann', user: { userName: 'ann' } })
  await write('machineUsers', { userId: 'robot', user: { userName: 'robot' } })
  await write('projects', { projectId: 'portal', project: { name: 'Portal' } })
  for (const roleKey of ['reader', 'writer']) await write('projectRoles', { projectId: 'portal', roleKey })
  await write('oidcApps', { appId: 'web', app: { projectId: 'portal', name: 'Web' } })
})
afterAll(() => fixture?.stop())

const newKey = () => {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  return Buffer.from(publicKey.export({ type: 'spki', format: 'pem' }).toString()).toString('base64')
}
const newJwk = () => generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })
const secret = (letter: string) => `sha256$${letter.repeat(43)}`
const HASHES = [
  '$2b$10$CwTycUXWue0Thq9StjUM0uJ4Xq5Y0hZ1e6Zz1cN4b0Yx6m3p7qK9i',
  '$2b$10$CwTycUXWue0Thq9StjUM0uJ4Xq5Y0hZ1e6Zz1cN4b0Yx6m3p7qK9k',
]

/** Both records of an object have every member, and no member has the same value in both. */
type Pair = readonly [one: Json, other: Json]

const application = (appId: string): Pair => [
  {
    appId,
    app: {
      projectId: 'portal',
      ...{ name: 'One', clientId: `${appId}-client`, state: 'APP_STATE_INACTIVE' },
      redirectUris: ['https://one.example/cb'],
      postLogoutRedirectUris: ['https://one.example/out'],
      responseTypes: ['OIDC_RESPONSE_TYPE_CODE'],
      grantTypes: ['OIDC_GRANT_TYPE_AUTHORIZATION_CODE', 'OIDC_GRANT_TYPE_DEVICE_CODE'],
      additionalGrantTypes: ['client_credentials'],
      ...{ devMode: true, accessTokenType: 'OIDC_TOKEN_TYPE_JWT', accessTokenRoleAssertion: true },
      ...{ idTokenRoleAssertion: true, idTokenUserinfoAssertion: true, exactLocalhostPort: true },
      additionalOrigins: ['https://one.example'],
      backChannelLogoutUri: 'https://one.example/logout',
      ...{ homePage: 'https://one.example/', initiateLoginUri: 'https://one.example/login' },
      clientSecretHashes: [{ hash: secret('a') }],
      ...{ idTokenSigningAlg: 'ES256', accessTokenSigningAlg: 'ES256' },
      ...{ accessTokenLifetime: '600s', idTokenLifetime: '700s', groupsClaim: 'roles' },
      claimMapping: { team: 'team' },
      crossAppAccess: { 'https://other.example': { clientId: 'there', scopes: ['read'] } },
      ...{
        groupsQualified: true,
        groupsAsObjects: true,
        pkceOptional: true,
        refreshTokensSurviveLogout: true,
        preferredUsernameWithoutDomain: true,
        requirePushedAuthorization: true,
        requirePkce: true,
        requireSignedRequests: true,
        requireSignedResponses: true,
        fapi2: true,
        dpopBoundAccessTokens: true,
        tlsClientCertificateBoundAccessTokens: false,
      },
      ...{ version: 1, clockSkew: '1s', skipNativeAppSuccessPage: true, loginVersion: { one: 1 } },
    },
  },
  {
    appId,
    app: {
      projectId: 'portal',
      ...{ name: 'Other', clientId: `${appId}-other`, state: 'APP_STATE_ACTIVE' },
      redirectUris: ['https://other.example/cb'],
      postLogoutRedirectUris: ['https://other.example/out'],
      responseTypes: ['OIDC_RESPONSE_TYPE_CODE', 'OIDC_RESPONSE_TYPE_ID_TOKEN'],
      grantTypes: ['OIDC_GRANT_TYPE_AUTHORIZATION_CODE', 'OIDC_GRANT_TYPE_REFRESH_TOKEN'],
      additionalGrantTypes: [],
      ...{ devMode: false, accessTokenType: 'OIDC_TOKEN_TYPE_BEARER', accessTokenRoleAssertion: false },
      ...{ idTokenRoleAssertion: false, idTokenUserinfoAssertion: false, exactLocalhostPort: false },
      additionalOrigins: [],
      backChannelLogoutUri: '',
      ...{ homePage: 'https://other.example/', initiateLoginUri: 'https://other.example/login' },
      clientSecretHashes: [{ hash: secret('b') }],
      ...{ idTokenSigningAlg: 'RS256', accessTokenSigningAlg: 'RS256' },
      ...{ accessTokenLifetime: '800s', idTokenLifetime: '900s', groupsClaim: 'groups' },
      claimMapping: {},
      crossAppAccess: {},
      ...{
        groupsQualified: false,
        groupsAsObjects: false,
        pkceOptional: false,
        refreshTokensSurviveLogout: false,
        preferredUsernameWithoutDomain: false,
        requirePushedAuthorization: false,
        requirePkce: false,
        requireSignedRequests: false,
        requireSignedResponses: false,
        fapi2: false,
        dpopBoundAccessTokens: false,
        tlsClientCertificateBoundAccessTokens: true,
      },
      ...{ version: 2, clockSkew: '2s', skipNativeAppSuccessPage: false, loginVersion: { one: 2 } },
    },
  },
]

const flags = (names: readonly string[], value: boolean) =>
  Object.fromEntries(names.map((name) => [name, value]))
const LOGIN_FLAGS = [
  ...['allowUsernamePassword', 'allowRegister', 'allowExternalIdp', 'forceMfa', 'forceMfaLocalOnly'],
  ...['hidePasswordReset', 'identifierFirst', 'ignoreUnknownUsernames', 'allowDomainDiscovery'],
  'allowImpersonation',
  ...['disableLoginWithEmail', 'disableLoginWithPhone', 'sessionEndsWithBrowser'],
]
const LIFETIMES = [
  ...['passwordCheckLifetime', 'externalLoginCheckLifetime', 'mfaInitSkipLifetime'],
  ...['secondFactorCheckLifetime', 'multiFactorCheckLifetime'],
]
const COLOURS = ['primaryColor', 'warnColor', 'backgroundColor', 'fontColor'].flatMap((name) => [
  name,
  `${name}Dark`,
])
const LINKS = ['tosLink', 'privacyLink', 'helpLink', 'docsLink', 'customLink']
const texts = (names: readonly string[], value: string) =>
  Object.fromEntries(names.map((name) => [name, value]))

const header = (is: boolean): Json => ({
  orgId: 'umbrella',
  org: { name: is ? 'Umbrella' : 'Parasol' },
  orgState: is ? 'ORG_STATE_ACTIVE' : 'ORG_STATE_INACTIVE',
  domains: [
    {
      ...{ domainName: 'umbrella.example', isVerified: true, isPrimary: is },
      validationType: is ? 'DOMAIN_VALIDATION_TYPE_DNS' : 'DOMAIN_VALIDATION_TYPE_HTTP',
    },
    {
      ...{ domainName: 'parasol.example', isVerified: true, isPrimary: !is },
      validationType: is ? 'DOMAIN_VALIDATION_TYPE_HTTP' : 'DOMAIN_VALIDATION_TYPE_DNS',
    },
  ],
  domainPolicy: flags(
    ['userLoginMustBeDomain', 'validateOrgDomains', 'smtpSenderAddressMatchesInstanceDomain'],
    is,
  ),
  labelPolicy: {
    ...texts(COLOURS, is ? '#111111' : '#222222'),
    ...flags(['hideLoginNameSuffix', 'disableWatermark'], is),
    themeMode: is ? 'THEME_MODE_DARK' : 'THEME_MODE_LIGHT',
  },
  lockoutPolicy: { maxPasswordAttempts: is ? 3 : 0, maxOtpAttempts: is ? 4 : 0 },
  loginPolicy: {
    ...flags(LOGIN_FLAGS, is),
    ...texts(LIFETIMES, is ? '60s' : '90s'),
    passwordlessType: is ? 'PASSWORDLESS_TYPE_ALLOWED' : 'PASSWORDLESS_TYPE_NOT_ALLOWED',
    defaultRedirectUri: is ? 'https://one.example' : 'https://other.example',
    secondFactors: is ? ['SECOND_FACTOR_TYPE_OTP'] : [],
    multiFactors: is ? ['MULTI_FACTOR_TYPE_U2F_WITH_VERIFICATION'] : [],
    idps: is ? [{ idpId: 'one' }] : [],
  },
  passwordComplexityPolicy: {
    minLength: is ? 9 : 10,
    ...flags(['hasUppercase', 'hasLowercase', 'hasNumber', 'hasSymbol'], is),
  },
  privacyPolicy: {
    ...texts(LINKS, is ? 'https://one.example' : ''),
    ...{ supportEmail: is ? 'help@one.example' : '', customLinkText: is ? 'One' : '' },
  },
})

const PROFILE = [
  ...['firstName', 'lastName', 'nickName', 'displayName', 'middleName', 'picture', 'profileUrl', 'website'],
  ...['preferredLanguage', 'birthdate', 'zoneinfo', 'genderText'],
]
const ADDRESS = ['streetAddress', 'locality', 'region', 'postalCode', 'country']
const person = (is: boolean): Json => ({
  userId: 'zoe',
  user: {
    userName: is ? 'zoe' : 'zora',
    profile: {
      ...texts(PROFILE, is ? 'one' : ''),
      ...{ displayName: is ? 'Zoe' : 'Zora', preferredLanguage: is ? 'de' : 'fr' },
      ...{ birthdate: is ? '1990-01-01' : '1991-01-01', zoneinfo: is ? 'Europe/Berlin' : 'Europe/Paris' },
      ...{ picture: is ? 'https://one.example' : '', website: is ? 'https://one.example' : '' },
      profileUrl: is ? 'https://one.example' : '',
    },
    // The proof of an address does not go over to another one, so both have the same.
    email: { email: 'zoe@umbrella.example', isEmailVerified: is },
    phone: { phone: '+491701234567', isPhoneVerified: is },
    address: texts(ADDRESS, is ? 'one' : ''),
    hashedPassword: { value: HASHES[is ? 0 : 1] },
    passwordChangeRequired: is,
    requestPasswordlessRegistration: is,
    otpCode: is ? 'JBSWY3DPEHPK3PXP' : 'JBSWY3DPEHPK3PXQ',
    idps: [is],
    recoveryCodes: [is],
  },
  state: is ? 'USER_STATE_LOCKED' : 'USER_STATE_INACTIVE',
})
const robot = (is: boolean): Json => ({
  userId: 'machine',
  user: {
    userName: is ? 'machine' : 'machine-b',
    ...{ name: is ? 'One' : 'Other', description: is ? 'One' : 'Other' },
    accessTokenType: is ? 'ACCESS_TOKEN_TYPE_JWT' : 'ACCESS_TOKEN_TYPE_BEARER',
  },
  clientId: 'machine-client',
  accessTokenSigningAlg: is ? 'ES256' : 'RS256',
  clientSecretHashes: [{ hash: secret(is ? 'c' : 'd') }],
  state: is ? 'USER_STATE_INACTIVE' : 'USER_STATE_ACTIVE',
})
const value = (is: boolean) => Buffer.from(is ? 'one' : 'other').toString('base64')
const expirationDate = (is: boolean) => (is ? '2035-01-01T00:00:00Z' : '2036-01-01T00:00:00Z')
const both = (record: (is: boolean) => Json): Pair => [record(true), record(false)]

const trusts = (owner: Json) =>
  both((is) => ({
    ...{ ...owner, id: 't', issuer: is ? 'https://one.example' : 'https://other.example' },
    ...{ subject: is ? 'one' : 'other', claims: { environment: is ? 'one' : 'other' } },
    keySet: { keys: [newJwk()] },
  }))

const PAIRS: Readonly<Record<string, Pair>> = {
  organization: both(header),
  humanUsers: both(person),
  machineUsers: both(robot),
  projects: both((is) => ({
    projectId: 'shop',
    project: {
      name: is ? 'Shop' : 'Store',
      ...flags(['projectRoleAssertion', 'projectRoleCheck', 'hasProjectCheck'], is),
      allowedAudiences: is ? ['portal'] : [],
      resourceUri: is ? 'https://shop.example' : 'https://store.example',
      authorizationDetailTypes: is ? { order: { title: 'Order' } } : {},
      privateLabelingSetting: is
        ? 'PRIVATE_LABELING_SETTING_ENFORCE_PROJECT_RESOURCE_OWNER_POLICY'
        : 'PRIVATE_LABELING_SETTING_ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY',
    },
  })),
  projectRoles: both((is) => ({
    ...{ projectId: 'portal', roleKey: 'editor' },
    ...{ displayName: is ? 'Edits' : 'Edits all', group: is ? 'one' : '' },
  })),
  userMetadata: both((is) => ({ id: 'ann', key: 'plan', value: value(is) })),
  orgMetadata: both((is) => ({ key: 'plan', value: value(is) })),
  machineKeys: [
    { keyId: 'k', userId: 'robot', publicKey: newKey(), expirationDate: expirationDate(true) },
    { keyId: 'k', userId: 'robot', publicKey: newKey(), expirationDate: expirationDate(false) },
  ],
  machineTrustedIssuers: trusts({ userId: 'robot' }),
  appTrustedIssuers: trusts({ appId: 'web' }),
  appKeys: [
    { id: 'k', appId: 'web', publicKey: newKey(), expirationDate: expirationDate(true) },
    { id: 'k', appId: 'web', publicKey: newKey(), expirationDate: expirationDate(false) },
  ],
  oidcApps: application('oidc').map((record, at) => ({
    ...record,
    app: {
      ...(record.app as Json),
      appType: at === 0 ? 'OIDC_APP_TYPE_NATIVE' : 'OIDC_APP_TYPE_WEB',
      authMethodType: at === 0 ? 'OIDC_AUTH_METHOD_TYPE_POST' : 'OIDC_AUTH_METHOD_TYPE_BASIC',
    },
  })) as unknown as Pair,
  apiApps: application('api').map((record, at) => ({
    ...record,
    app: {
      ...(record.app as Json),
      authMethodType: at === 0 ? 'API_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT' : 'API_AUTH_METHOD_TYPE_BASIC',
      ...{ responseTypes: [], grantTypes: [], redirectUris: [], postLogoutRedirectUris: [] },
    },
  })) as unknown as Pair,
  projectGrants: both((is) => ({
    grantId: is ? 'g' : 'h',
    projectGrant: { projectId: 'portal', grantedOrgId: 'other', roleKeys: is ? ['reader'] : ['writer'] },
  })),
  userGrants: both((is) => ({
    ...{ userId: 'ann', projectId: 'portal', projectGrantId: is ? 'g' : 'h' },
    roleKeys: is ? ['reader'] : ['writer'],
  })),
  orgMembers: both((is) => ({ userId: 'ann', roles: is ? ['ORG_OWNER'] : ['ORG_OWNER_VIEWER'] })),
  projectMembers: both((is) => ({
    ...{ userId: 'ann', projectId: 'portal' },
    roles: is ? ['PROJECT_OWNER'] : ['PROJECT_OWNER_VIEWER'],
  })),
  projectGrantMembers: both((is) => ({
    ...{ userId: 'ann', projectId: 'portal', grantId: 'g' },
    roles: is ? ['one'] : ['other'],
  })),
  actions: both((is) => ({ actionId: 'a', name: is ? 'one' : 'other', script: { text: value(is) } })),
  triggerActions: both((is) => ({ flowType: '1', triggerType: '2', actionIds: is ? ['a'] : ['b'] })),
  ...Object.fromEntries(
    ['oidcIdps', 'jwtIdps'].map((list) => [
      list,
      both((is) => ({ idpId: list, idp: { name: is ? 'one' : 'other', clientSecret: value(is) } })),
    ]),
  ),
  userLinks: both((is) => ({
    ...{ userId: 'ann', idpId: 'one', providedUserId: '77' },
    providedUserName: is ? 'one' : 'other',
  })),
  ...Object.fromEntries(
    LIST_NAMES.filter((list) => /(Texts|Messages)$/.test(list)).map((list) => [
      list,
      both((is) => ({
        language: 'en',
        ...(list === 'loginTexts'
          ? { loginText: { title: is ? 'One' : 'Other', description: is ? 'one' : 'other' } }
          : { title: is ? 'One' : 'Other', text: is ? 'one' : 'other' }),
      })),
    ]),
  ),
}

/** Members that an update never writes, or that stand for the same stored value as another one. */
const EXCEPT: readonly RegExp[] = [
  // The first import gives them.
  /(^|\.)(creationDate|changeDate|initial\.\w+|userGrantId|clientId)$/,
  // The v1 layout, which the reader turns into the v2 layout.
  /^(iamPolicy|secondFactors|multiFactors|idps)\b/,
  // Nothing reads them.
  /^(domains\[\]|domainPolicy)\.(orgId|details)$/,
  // A document changes no proof of a domain of an organization that exists.
  /^domains\[\]\.isVerified$/,
  /^(user\.userId|user\.hashedPassword\.algorithm|type|projectId)$/,
  /^app\.(mayCallApi|firstParty)$/,
  // Of an existing person they are left out and reported.
  /^user\.passkeys\b/,
  // One set of authenticators, one password and one set of secrets, whichever member brings them.
  /^user\.(totpDevices|password$)/,
  /clientSecretHash$/,
  /^user\.profile\.gender$/,
  // Applications of an API have none.
  /^apiApps app\.(redirectUris|postLogoutRedirectUris|responseTypes|grantTypes)$/,
  // An application has one of them, and with one method alone: the test below.
  /^app\.tlsClientAuth/,
  // A trusted issuer is written as a whole: the test below.
  /^\w+TrustedIssuers (claims|keySet)/,
  // Two links to one provider may differ in them.
  /^providedUserId$/,
  /^userLinks issuer$/,
  // The first import gives them.
  /^userLinks (linkId|lastUseDate)$/,
]

/** The members of the records of a list that may be left out; elements of a list are one value, but for domains. */
function optionalMembers(list: keyof typeof RECORD_SCHEMAS): readonly string[] {
  const { schema } = list === 'organization' ? { schema: organizationHeader } : shapeOf(list)
  const [one] = PAIRS[list] ?? []
  const carried = Object.keys(one ?? {}).flatMap((name) =>
    typeof one?.[name] === 'object' && !Array.isArray(one[name])
      ? Object.keys(one[name] as Json).map((inner) => `${name}.${inner}`)
      : [name],
  )
  const paths = membersOf(RECORD_SCHEMAS[list]).flatMap(({ path }) => {
    if (path === '*') return carried
    return path.startsWith('domains[]') ? [path] : [path.replace(/\[\].*$/, '')]
  })
  return [...new Set(paths)].filter(
    (path) =>
      !EXCEPT.some((exception) => exception.test(path) || exception.test(`${list} ${path}`)) &&
      schema.safeParse(without(one ?? {}, path)).success,
  )
}

function without(record: Json, path: string): Json {
  const copy = structuredClone(record) as Record<string, unknown>
  eachHolder(copy, path, (holder, name) => delete holder[name])
  return copy
}

/** A record with the value that another one has in a member. */
function withMemberOf(record: Json, other: Json, path: string): Json {
  const copy = structuredClone(record) as Record<string, unknown>
  const values: unknown[] = []
  eachHolder(structuredClone(other) as Record<string, unknown>, path, (holder, name) =>
    values.push(holder[name]),
  )
  eachHolder(copy, path, (holder, name) => {
    holder[name] = values.shift()
  })
  return copy
}

function eachHolder(
  record: Record<string, unknown>,
  path: string,
  act: (holder: Record<string, unknown>, name: string) => void,
): void {
  const [first = '', ...rest] = path.split('.')
  if (rest.length === 0) {
    act(record, first)
    return
  }
  const inner = record[first.replace('[]', '')]
  for (const holder of (Array.isArray(inner) ? inner : [inner]) as Record<string, unknown>[]) {
    if (holder !== undefined) eachHolder(holder, rest.join('.'), act)
  }
}

let batches = 0
async function write(list: string, record: Json): Promise<string> {
  batches += 1
  const schema = list === 'organization' ? organizationHeader : shapeOf(list as 'humanUsers').schema
  const organizationId = list === 'organization' ? 'umbrella' : 'acme'
  const [outcome] = await apply([
    batchOf(`members-${batches}`, batches, organizationId, [schema.parse(record)], {
      list,
      namedOrganizations: ['acme', 'other', 'umbrella'],
    }),
  ])
  expect(outcome?.failures).toEqual([])
  return outcome?.outcomes ?? ''
}

async function imageOf(list: string, record: Json) {
  const keyOf = OBJECT_TABLES.get(list)?.keyOf
  const objects = {
    list,
    organizationIds: [list === 'organization' ? 'umbrella' : 'acme'],
    keys: [keyOf?.(record as never) ?? ['']] as const,
  }
  const [image = {}] = await objectRows.images(fixture.owner, objects as never)
  // Each write of a secret gives it another number.
  const secrets = (rows: readonly Json[] = []) =>
    rows.map(({ created_at: _, ...row }) => ({ ...row, secret_id: row.hash }))
  return {
    ...image,
    application_secret: secrets(image.application_secret),
    service_user_secret: secrets(image.service_user_secret),
  }
}

const imagesOfOthers = new Map<string, ReturnType<typeof imageOf>>()
/** The object as the other record of its pair leaves it. */
async function imageOfOther(list: string): ReturnType<typeof imageOf> {
  const image =
    imagesOfOthers.get(list) ??
    write(list, PAIRS[list]?.[1] ?? {}).then(() => imageOf(list, PAIRS[list]?.[0] ?? {}))
  imagesOfOthers.set(list, image)
  return await image
}

const CASES = (Object.keys(RECORD_SCHEMAS) as (keyof typeof RECORD_SCHEMAS)[]).flatMap((list) =>
  optionalMembers(list).map((member) => ({ list, member })),
)

describe('an import that updates', () => {
  it('is tested with every member of the format', () => {
    for (const list of Object.keys(RECORD_SCHEMAS)) expect(PAIRS, list).toHaveProperty(list)
    const missing = CASES.filter(({ list, member }) => {
      let isThere = false
      eachHolder(
        structuredClone(PAIRS[list]?.[1] ?? {}) as Record<string, unknown>,
        member,
        (holder, name) => {
          isThere ||= Object.hasOwn(holder, name)
        },
      )
      return !isThere
    })
    expect(missing).toEqual([])
    expect(CASES.length).toBeGreaterThan(180)
  })

  it.each(CASES)('leaves what the document leaves out as it is: $list $member', async ({ list, member }) => {
    const [one, other] = PAIRS[list] as Pair
    const open = createOpener(fixture.masterKeys, list === 'organization' ? 'umbrella' : 'acme')
    await write(list, one)
    expect(await write(list, without(other, member))).toBe('u')
    const left = await imageOf(list, one)
    await write(list, one)
    await write(list, withMemberOf(other, one, member))
    const kept = await imageOf(list, one)
    expect(changedFields(list, await imageOfOther(list), kept, open)).not.toEqual([])
    expect(changedFields(list, kept, left, open)).toEqual([])
  })

  it('writes a trusted issuer as a whole, so that no key of another issuer stays', async () => {
    const [one] = PAIRS.appTrustedIssuers as Pair
    await write('appTrustedIssuers', one)
    const { claims: _, keySet: __, ...rest } = one
    await write('appTrustedIssuers', rest)
    const image: Readonly<Record<string, unknown>> = await imageOf('appTrustedIssuers', one)
    expect(image.application_issuer_trust).toMatchObject([{ claims: {}, key_set: null }])
  })

  it('keeps the name of a certificate with its method, and ends it with another method', async () => {
    const appId = 'certified'
    const record = (app: Json) => ({ appId, app: { projectId: 'portal', name: 'Certified', ...app } })
    const method = { authMethodType: 'OIDC_AUTH_METHOD_TYPE_TLS_CLIENT_AUTH' }
    const written = async (app: Json) => {
      await write('oidcApps', record(app))
      const image: Readonly<Record<string, unknown>> = await imageOf('oidcApps', record(app))
      const [row] = image.application as readonly Json[]
      return [row?.auth_method, row?.tls_client_auth_san_dns]
    }
    const certified = ['tls_client_auth', 'client.acme.example']
    expect(await written({ ...method, tlsClientAuthSanDns: 'client.acme.example' })).toEqual(certified)
    expect(await written({ redirectUris: [] })).toEqual(certified)
    const basic = { authMethodType: 'OIDC_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT' }
    expect(await written(basic)).toEqual(['private_key_jwt', null])
  })
})
