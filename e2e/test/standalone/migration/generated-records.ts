import { createHash, generateKeyPairSync } from 'node:crypto'
import { type JsonSchema, RECORD_SCHEMAS } from '@signet/file-formats/export/format-schema'
import { LIST_NAMES, type ListName } from '@signet/file-formats/export/lists'
import { FOREIGN_PASSWORD_HASHES } from '@signet/testing/foreign-password-hashes'
import fc from 'fast-check'
import { NAMES_OF_CERTIFICATES, text } from './generated-organizations.ts'
import { anything, members } from './generated-sections.ts'

export type Json = Record<string, unknown>

const only = (...values: readonly unknown[]) => fc.constantFrom(...values)
const { publicKey: ed25519 } = generateKeyPairSync('ed25519')
const PUBLIC_KEY = Buffer.from(ed25519.export({ type: 'spki', format: 'pem' })).toString('base64')
const PUBLIC_JWK = { ...ed25519.export({ format: 'jwk' }), kid: 'one' }
const secretHash = fc
  .string({ unit: fc.constantFrom(...'abcXYZ019-_'), minLength: 43, maxLength: 43 })
  .map((digest) => `sha256$${digest}`)
const duration = only('1s', '59.5s', '86400s')
const link = only('', 'https://acme.example/path', 'https://acme.example/{{.Lang}}')
const uri = only('https://acme.example/a', 'https://acme.example/b?c=d')

/** The relying party of the passkeys. */
export const RP_ID = 'id.example'

const COLOURS = Object.keys(RECORD_SCHEMAS.organization.properties?.labelPolicy?.properties ?? {}).filter(
  (name) => /Color/.test(name),
)

/** Values of members that obey more rules than their schema says, by the end of their path. */
const VALUES: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  'email.email': fc.oneof(fc.emailAddress(), only(`${'m'.repeat(64)}@acme.example`)),
  ...Object.fromEntries(
    ['org.name', 'initial.name', 'project.name', 'app.name', 'machineUsers.user.name'].map((name) => [
      name,
      textOf({ minLength: 1, maxLength: 200 }),
    ]),
  ),
  ...Object.fromEntries(
    ['picture', 'profileUrl', 'website'].map((name) => [
      name,
      only('', 'https://acme.example/a', 'http://acme.example'),
    ]),
  ),
  preferredLanguage: only('', 'en', 'de-CH', 'zh-Hant'),
  birthdate: only('', '1990-01-31', '0000-02-29', '1970'),
  zoneinfo: only('', 'Europe/Zurich', 'UTC'),
  defaultRedirectUri: only('', 'https://acme.example/'),
  supportEmail: only('', 'help@acme.example'),
  customLinkText: only('', 'Status'),
  domainName: only('replaced'),
  ...Object.fromEntries(COLOURS.map((name) => [name, only('', '#0b6e4f', '#Abc')])),
  'phone.phone': only('', '+41 79 123 45 67', '+15550100'),
  'user.password': only(`Aa1!${'p'.repeat(68)}`),
  'hashedPassword.value': only(...Object.values(FOREIGN_PASSWORD_HASHES)),
  'totpDevices.secret': only('ABCDEFGHIJKLMNOPQRSTUVWX', 'qrst uvwx yz23 4567'),
  otpCode: only('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 'abcd efgh ijkl mnop', 'ABCDEFGHIJKLMNOP===='),
  'passkeys.handle': only('replaced'),
  'credentials.rpId': only(RP_ID),
  'credentials.credentialId': only('replaced'),
  'credentials.publicKey': only('pQECAyYgASFYIA', 'p'.repeat(4_000)),
  'credentials.transports': fc.subarray(['internal', 'hybrid', 'usb']),
  'credentials.aaguid': only('00000000-0000-0000-0000-000000000000', 'ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4'),
  clientSecretHash: secretHash,
  hash: secretHash,
  value: only('AA', '_-8', 'AP8K', Buffer.alloc(500_000, 7).toString('base64')),
  publicKey: only(PUBLIC_KEY),
  minLength: only(0, 1, 72, '8'),
  redirectUris: fc.subarray(['https://acme.example/a', 'https://acme.example/b?c=d']),
  postLogoutRedirectUris: fc.array(uri, { maxLength: 2 }),
  additionalOrigins: fc.subarray(['https://app.example', 'http://localhost:3000']),
  backChannelLogoutUri: only('', 'https://acme.example/logout'),
  homePage: only('https://acme.example/home'),
  initiateLoginUri: only('https://acme.example/login'),
  accessTokenLifetime: duration,
  idTokenLifetime: duration,
  authorizationDetailTypes: only({}, { order: { title: 'Order' } }),
  claimMapping: fc.dictionary(only('department', 'https://a.example/b') as fc.Arbitrary<string>, text),
  crossAppAccess: fc.dictionary(
    only('https://other.example', 'https://b.example/tenant') as fc.Arbitrary<string>,
    fc.record({ clientId: fc.constant('there'), scopes: fc.subarray(['read', 'urn:a:b']) }),
  ),
  'apiApps.app.authMethodType': only('API_AUTH_METHOD_TYPE_BASIC', 'API_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT'),
  ...Object.fromEntries(
    ['machineTrustedIssuers', 'appTrustedIssuers'].flatMap((list) => [
      [`${list}.issuer`, only('https://issuer.example', `https://issuer.example/${'i'.repeat(470)}`)],
      [`${list}.subject`, only('repo:acme/*', 's'.repeat(500))],
      [`${list}.claims`, only({ environment: 'production' }, { one: '', other: 'c'.repeat(500) })],
      [`${list}.keySet`, only({ keys: [PUBLIC_JWK] })],
    ]),
  ),
  'orgMembers.roles': fc.subarray(['ORG_OWNER_VIEWER', 'ORG_OWNER'], { minLength: 1 }),
  'projectMembers.roles': only(['PROJECT_OWNER', 'PROJECT_OWNER_VIEWER'], ['PROJECT_OWNER']),
  'loginPolicy.secondFactors': only([], ['SECOND_FACTOR_TYPE_OTP', 'SECOND_FACTOR_TYPE_U2F']),
  flowType: only('1', '2', 1),
  triggerType: only('1', '2'),
  ...Object.fromEntries(
    ['tosLink', 'privacyLink', 'helpLink', 'docsLink', 'customLink'].map((name) => [name, link]),
  ),
}

/** A value of a schema, at its limits as often as between them; a complete one has every member. */
function arbitraryOf(schema: JsonSchema, path: string, isComplete: boolean): fc.Arbitrary<unknown> {
  const given = Object.keys(VALUES).find((end) => `.${path}`.endsWith(`.${end}`))
  if (given !== undefined) return VALUES[given] as fc.Arbitrary<unknown>
  const { type, enum: names, anyOf, items, properties, format, pattern, additionalProperties } = schema
  if (names !== undefined) return only(...names)
  if (anyOf !== undefined) return fc.oneof(...anyOf.map((choice) => arbitraryOf(choice, path, isComplete)))
  if (properties !== undefined) {
    const known = Object.entries(properties).map(([name, member]) => [
      name,
      arbitraryOf(member, `${path}.${name}`, isComplete),
    ])
    const own = fc.record(Object.fromEntries(known), {
      requiredKeys: (isComplete ? Object.keys(properties) : (schema.required ?? [])) as [],
    })
    return typeof additionalProperties === 'object'
      ? fc.tuple(members, own).map(([more, rest]) => ({ ...more, ...(rest as object) }))
      : own
  }
  if (items !== undefined)
    return fc.array(arbitraryOf(items, path, isComplete), { minLength: isComplete ? 1 : 0, maxLength: 2 })
  if (type === 'boolean') return fc.boolean()
  if (type === 'integer') {
    const { minimum = 0, maximum = 1_000 } = schema
    return only(minimum, minimum + 1, maximum)
  }
  if (format === 'date-time') return only('2001-02-03T04:05:06Z', '2001-02-03T04:05:06.789+02:00')
  if (pattern?.endsWith('s$')) return only('0s', '1.5s', '999999999s')
  if (pattern?.startsWith('^\\d{1,9}')) return only('0', '999999999')
  return type === 'string' ? textOf(schema) : anything
}

function textOf({ minLength = 0, maxLength = 50 }: JsonSchema): fc.Arbitrary<string> {
  const limits = [...(minLength === 0 ? [''] : ['x']), 'é'.repeat(maxLength)]
  return fc.oneof(
    fc.constantFrom(...limits),
    text.map((typed) => cut(typed, maxLength)),
  )
}

/** The beginning of a text, without half a character at its end. */
const cut = (typed: string, most: number) => typed.slice(0, most).replace(/[\uD800-\uDBFF]$/, '')

const COPIES = 2

/** The organization `orgId`; `others` are organizations of the same document. */
type MakeOrganization = (orgId: string, others: readonly string[]) => Json

/** Organizations as a document may bring them, with records of every list. The first of each layout has every member. */
export function generatedRecords(seed: number, numRuns: number): readonly MakeOrganization[] {
  const others = numRuns - 2
  return [
    ...fc.sample(organization(true, true), { seed, numRuns: 1 }),
    ...fc.sample(organization(true, false), { seed, numRuns: 1 }),
    ...fc.sample(organization(false, true), { seed, numRuns: Math.floor(others / 2) }),
    ...fc.sample(organization(false, false), { seed, numRuns: Math.ceil(others / 2) }),
  ]
}

function organization(isComplete: boolean, isFirstLayout: boolean): fc.Arbitrary<MakeOrganization> {
  const lists = Object.fromEntries(
    LIST_NAMES.map((list) => [
      list,
      fc.array(arbitraryOf(RECORD_SCHEMAS[list], list, isComplete), { minLength: COPIES, maxLength: COPIES }),
    ]),
  )
  return fc.tuple(arbitraryOf(RECORD_SCHEMAS.organization, 'organization', isComplete), fc.record(lists)).map(
    ([drawn, records]): MakeOrganization =>
      (orgId, others) => ({
        ...headerOf(drawn as Json, orgId, isFirstLayout),
        ...Object.fromEntries(
          LIST_NAMES.map((list) => [
            list,
            (records[list] as Json[]).map((record, index) => placed(list, record, index, { orgId, others })),
          ]),
        ),
      }),
  )
}

const FIRST_LAYOUT = ['iamPolicy', 'secondFactors', 'multiFactors', 'idps']

function headerOf(drawn: Json, orgId: string, isFirstLayout: boolean): Json {
  const domains = (drawn.domains as Json[] | undefined)?.map((domain, index) => ({
    ...domain,
    domainName: `Domain-${index}.${orgId}.example`,
    isPrimary: index === 0,
  }))
  const idpsOf = (idps: unknown) => (idps as Json[]).map((idp, index) => ({ ...idp, idpId: `idp-${index}` }))
  const all: Json = { ...drawn, orgId, ...(domains !== undefined && { domains }) }
  const other = isFirstLayout ? ['domainPolicy', 'loginPolicy'] : FIRST_LAYOUT
  const rest = Object.fromEntries(Object.entries(all).filter(([name]) => !other.includes(name)))
  const login = rest.loginPolicy as Json | undefined
  return {
    ...rest,
    ...(rest.idps !== undefined && { idps: idpsOf(rest.idps) }),
    ...(login?.idps !== undefined && { loginPolicy: { ...login, idps: idpsOf(login.idps) } }),
  }
}

const NO_CERTIFICATE_NAMES = Object.fromEntries(
  Object.keys(NAMES_OF_CERTIFICATES).map((name) => [name, undefined]),
)

/** Returns the name of a certificate with its method where the record has that name; otherwise no name, and another method. */
function certificateMembers(list: ListName, app: Json, turn: number): Json {
  const method = app.authMethodType
  const prefix = list === 'apiApps' ? 'API' : 'OIDC'
  const [name = '', value] = Object.entries(NAMES_OF_CERTIFICATES)[turn % 5] ?? []
  if (app[name] !== undefined) {
    const authMethodType = `${prefix}_AUTH_METHOD_TYPE_TLS_CLIENT_AUTH`
    return { ...NO_CERTIFICATE_NAMES, [name]: value, authMethodType }
  }
  const isLeft = method === `${prefix}_AUTH_METHOD_TYPE_TLS_CLIENT_AUTH`
  return {
    ...NO_CERTIFICATE_NAMES,
    ...(isLeft && { authMethodType: `${prefix}_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT` }),
  }
}

/** A trusted issuer whose subject ends in `*` only beside a claim. */
const withExactSubject = (record: Json): Json =>
  record.claims === undefined ? { ...record, subject: 'repo:acme/shop' } : record

/** The record with ids and references that exist. */
function placed(
  list: ListName,
  record: Json,
  index: number,
  { orgId, others }: { readonly orgId: string; readonly others: readonly string[] },
): Json {
  const id = (kind: string) => `${orgId}-${kind}-${index}`
  const [userId, projectId, appId] = [id('user'), id('project'), id(list)]
  const withMember = (member: string, more: Json): Json => ({
    ...record,
    [member]: { ...(record[member] as Json), ...more },
  })
  const unique = (value: unknown) => `${cut(String(value), 150)} ${orgId} ${index}`
  const userName = index === 0 ? id(list).padEnd(200, 'n') : ` ${id(list)} `
  const optional = (member: string, value: unknown) =>
    record[member] === undefined ? {} : { [member]: value }
  /** Keeps one form of the secrets, each for one of two records. */
  const oneSecretForm = ({ clientSecretHash, clientSecretHashes, ...rest }: Json): Json => {
    if (clientSecretHashes === undefined || (clientSecretHash !== undefined && index === 0)) {
      return clientSecretHash === undefined ? rest : { ...rest, clientSecretHash }
    }
    return { ...rest, clientSecretHashes }
  }
  switch (list) {
    case 'humanUsers':
      return { ...withMember('user', { userName, ...ownFactors(record.user as Json, userId) }), userId }
    case 'machineUsers': {
      const client = oneSecretForm(withMember('user', { userName }))
      return { ...client, userId: id('service'), ...optional('clientId', id('client')) }
    }
    case 'projects':
      return withAudiences({ ...record, projectId })
    case 'oidcApps':
    case 'apiApps': {
      const app = record.app as Json
      const isNative = app.appType === 'OIDC_APP_TYPE_NATIVE'
      // An application in the browser has no secret.
      const isBrowser = app.appType === 'OIDC_APP_TYPE_USER_AGENT'
      return {
        ...record,
        appId,
        app: {
          ...oneSecretForm(app),
          projectId,
          ...certificateMembers(list, app, Number(/\d+$/.exec(orgId)?.[0] ?? 0) + index),
          ...(isBrowser && { authMethodType: 'OIDC_AUTH_METHOD_TYPE_NONE', ...NO_CERTIFICATE_NAMES }),
          ...(app.clientId !== undefined && { clientId: `${appId}-client` }),
          ...(app.exactLocalhostPort !== undefined && {
            exactLocalhostPort: isNative && app.exactLocalhostPort,
          }),
        },
      }
    }
    case 'userMetadata':
      return { ...record, id: userId, key: unique(record.key) }
    case 'orgMetadata':
      return { ...record, key: unique(record.key) }
    case 'machineKeys':
      return { ...record, keyId: id('key'), userId: id('service') }
    case 'appKeys':
      return { ...record, id: id('key'), appId: id('oidcApps'), ...optional('projectId', projectId) }
    case 'machineTrustedIssuers':
      return { ...withExactSubject(record), id: id('trust'), userId: id('service') }
    case 'appTrustedIssuers':
      return { ...withExactSubject(record), id: id('trust'), appId: id('oidcApps') }
    case 'projectRoles':
      return { ...record, projectId, roleKey: id('role') }
    case 'projectGrants': {
      const grantedOrgId = others[index % others.length]
      return { ...withMember('projectGrant', { projectId, grantedOrgId }), grantId: id('grant') }
    }
    case 'userGrants': {
      const ids = { userId, projectId, ...optional('userGrantId', id('user-grant')) }
      const roleKeys = [id('role'), id('role')].slice(0, (record.roleKeys as unknown[] | undefined)?.length)
      return {
        ...record,
        ...ids,
        roleKeys,
        ...(record.projectGrantId ? { projectGrantId: id('grant') } : {}),
      }
    }
    case 'orgMembers':
      return { roles: ['ORG_OWNER_VIEWER'], ...record, userId }
    case 'projectMembers':
      return { roles: ['PROJECT_OWNER_VIEWER'], ...record, userId, projectId }
    case 'projectGrantMembers':
      return { ...record, projectId, grantId: id('grant'), userId }
    case 'actions':
      return { ...record, actionId: id('action') }
    case 'triggerActions':
      return { ...record, triggerType: `${index + 1}`, ...optional('actionIds', [id('action')]) }
    case 'oidcIdps':
      return { ...record, ...provider(id(list)) }
    case 'jwtIdps':
      return { ...record, idpId: id(list), idp: { clientSecret: 'of the provider' } }
    case 'userLinks':
      return {
        ...{ ...record, ...ofProvider, userId, idpId: id('oidcIdps'), ...optional('linkId', id('link')) },
        // A link without the subject is stored, not used.
        providedUserId: record.providedUserId || id('subject'),
      }
    default:
      return { ...record, language: `l${index}${cut(String(record.language), 20)}` }
  }
}

/** The members that an export of a link always has. */
const ofProvider: Json = { idpName: 'Provider', idpType: 'IDP_TYPE_OIDC' }

/** An identity provider with all members that an export always has. */
const provider = (idpId: string): Json => ({
  idpId,
  idp: {
    ...{ name: 'Provider', issuer: 'https://idp.example', clientId: 'signet', scopes: ['openid'] },
    ...{ subjectClaim: 'sub', requiredClaims: {}, mappedClaims: {}, clientSecret: 'of the provider' },
    autoRegister: true,
  },
  state: 'IDP_STATE_ACTIVE',
  creationDate: '2026-01-01T00:00:00Z',
})

/** Every device has a name, which tells them apart. */
/** Second factors and passkeys whose names and ids are those of one. */
function ownFactors({ totpDevices, passkeys }: Json, userId: string): Json {
  const named = (own: unknown, most: number) =>
    (own as Json[]).map((one, index) => ({ ...one, name: `${cut(String(one.name ?? ''), most)} ${index}` }))
  const digest = (value: string) => createHash('sha256').update(value).digest('base64url')
  const credentials = named((passkeys as Json | undefined)?.credentials ?? [], 90).map((one, index) => ({
    ...one,
    passkeyId: `${userId}-passkey-${index}`,
    credentialId: digest(`${userId} ${index}`),
  }))
  return {
    ...(totpDevices !== undefined && { totpDevices: named(totpDevices, 190) }),
    passkeys: credentials.length === 0 ? undefined : { handle: digest(userId), credentials },
  }
}

function withAudiences(record: Json): Json {
  const project = record.project as Json
  const resourceUri = project.resourceUri === undefined ? undefined : `urn:example:${record.projectId}`
  const types = project.authorizationDetailTypes as Json | undefined
  // Names are unique in the instance.
  const authorizationDetailTypes = types?.order && { [`urn:example:${record.projectId}`]: { title: 'Order' } }
  const allowedAudiences = (project.allowedAudiences as unknown[] | undefined)?.map(
    (_, index) => `client-${index}`,
  )
  return {
    ...record,
    project: {
      ...project,
      ...(allowedAudiences !== undefined && { allowedAudiences }),
      ...(resourceUri !== undefined && { resourceUri }),
      ...(authorizationDetailTypes !== undefined && { authorizationDetailTypes }),
    },
  }
}
