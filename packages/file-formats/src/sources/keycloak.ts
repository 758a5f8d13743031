import { createHash } from 'node:crypto'
import { findHashProblem } from '@signet/password-hash/stored-hash'
import { encodeBase32 } from '@signet/tokens/identifiers'
import { parseJson, type Reading } from '../json-stream/json-scanner.ts'
import {
  type ConvertedPart,
  checkRecord,
  compact,
  isEmpty,
  isObject,
  type JsonObject,
  type LeftOut,
  metadataValue,
  SourceError,
  type SourceFile,
  SourceMembers,
} from './conversion.ts'
import { MEBIBYTE, readJson } from './json-input.ts'
import { isBuiltInClient, KeycloakRoles, roleReferences } from './keycloak-roles.ts'

/*
 * Converts a realm export of Keycloak (`kc.sh export`): one file, or the files of a folder with `R-realm.json` and
 * `R-users-N.json`. Each realm becomes an organization with one project, which holds its roles and clients. The files are
 * read twice: first everything but the users, then the users one at a time.
 */

const LIMITS = { member: 64 * MEBIBYTE, user: 1.5 * MEBIBYTE } as const
const USERS = 'users'

/** The members of a realm in one file, without its users. */
interface RealmPart {
  readonly file: SourceFile
  readonly index: number
  readonly members: Map<string, unknown>
}

export interface KeycloakOptions {
  /** Of the organization, instead of the id of the realm. */
  readonly organizationId?: string | undefined
  readonly organizationName?: string | undefined
}

/** Throws SourceError for files that are no realm export. */
export async function* convertKeycloak(
  files: readonly SourceFile[],
  options: KeycloakOptions,
  leftOut: LeftOut,
): AsyncGenerator<ConvertedPart> {
  const realms = new Map<string, RealmPart[]>()
  for (const file of files) {
    for await (const part of readRealmParts(file)) {
      const realm = part.members.get('realm')
      if (typeof realm !== 'string')
        throw new SourceError(`${file.name} is no realm export: it names no realm`)
      realms.set(realm, [...(realms.get(realm) ?? []), part])
    }
  }
  if (realms.size === 0) throw new SourceError('there is no realm in these files')
  if (realms.size > 1 && (options.organizationId ?? options.organizationName) !== undefined) {
    throw new SourceError(`these files hold ${realms.size} realms; each becomes an organization of its own`)
  }
  for (const [realm, parts] of realms) yield* convertRealm(realm, parts, options, leftOut)
}

function readRealmParts(file: SourceFile): AsyncGenerator<RealmPart> {
  return readJson(file, (emit) => {
    const realm = (index: number): Reading => {
      const members = new Map<string, unknown>()
      return {
        name: 'a realm',
        object: {
          member: (name) => {
            if (name === USERS) return usersReading(() => undefined)
            const value = (bytes: Buffer) => members.set(name, parseJson(bytes, name))
            return { name, whole: { limitBytes: LIMITS.member, value } }
          },
          end: () => emit({ file, index, members }),
        },
      }
    }
    const { object } = realm(0)
    return { name: 'the file', ...(object && { object }), array: { element: realm } }
  })
}

/** The users of one realm in a file. */
function readUsers({ file, index }: RealmPart): AsyncGenerator<unknown> {
  return readJson(file, (emit) => {
    const realm = (at: number): Reading => ({
      name: 'a realm',
      object: {
        member: (name) =>
          name === USERS && at === index
            ? usersReading((bytes) => emit(parseJson(bytes, 'a user')))
            : { name, whole: { limitBytes: LIMITS.member, value: () => undefined }, array: SKIPPED },
      },
    })
    const { object } = realm(0)
    return { name: 'the file', ...(object && { object }), array: { element: realm } }
  })
}

const usersReading = (value: (bytes: Buffer) => void): Reading => {
  const element: Reading = { name: 'a user', whole: { limitBytes: LIMITS.user, value } }
  return { name: USERS, array: { element: () => element } }
}

const SKIPPED_ELEMENT: Reading = {
  name: 'an element',
  whole: { limitBytes: LIMITS.member, value: () => undefined },
}
const SKIPPED = { element: () => SKIPPED_ELEMENT }

/** One realm while it is converted. */
interface Realm {
  readonly name: string
  readonly organizationId: string
  readonly roles: KeycloakRoles
  readonly leftOut: LeftOut
}

async function* convertRealm(
  name: string,
  parts: readonly RealmPart[],
  options: KeycloakOptions,
  leftOut: LeftOut,
): AsyncGenerator<ConvertedPart> {
  const members = new SourceMembers('realm', mergedParts(parts, name, leftOut), leftOut, name)
  members.takeDerived('realm')
  const organizationId = options.organizationId ?? members.text('id') ?? name
  members.takeDerived('id')
  const roles = new KeycloakRoles(name, members.object('roles') ?? {}, leftOut)
  roles.addGroups(members.objects('groups'), leftOut)
  // Keycloak names the role here that stands in `realmRoles` of each user too.
  members.takeDerived('defaultRole')
  const realm: Realm = { name, organizationId, roles, leftOut }
  const clients = members.objects('clients')
  const providers = members.objects('identityProviders')
  const header = headerOf(members, options.organizationName ?? name, organizationId)
  members.takeDefaults(REALM_DEFAULTS)
  members.leaveRest()

  yield { kind: 'organization', header }
  const projectId = organizationId
  yield* record('projects', { projectId, project: { name } }, leftOut, name)
  for (const { roleKey, displayName } of roles.projectRoles()) {
    yield* record('projectRoles', compact({ projectId, roleKey, displayName }), leftOut, roleKey)
  }
  for (const client of clients) yield* convertClient(client, realm)
  for (const provider of providers) yield* convertProvider(provider, realm)
  for (const part of parts) {
    for await (const user of readUsers(part)) {
      if (isObject(user)) yield* convertUser(user, realm)
      else leftOut.add('users[] that are no objects', name)
    }
  }
}

function mergedParts(parts: readonly RealmPart[], realm: string, leftOut: LeftOut): JsonObject {
  const merged = new Map<string, unknown>()
  for (const { members } of parts) {
    for (const [name, value] of members) {
      if (!merged.has(name)) merged.set(name, value)
      else if (name !== 'realm' && name !== 'id') leftOut.add(`realm.${name} in a second file`, realm)
    }
  }
  return Object.fromEntries(merged)
}

function* record(
  list: Extract<ConvertedPart, { kind: 'record' }>['list'],
  value: JsonObject,
  leftOut: LeftOut,
  example: string,
): Generator<ConvertedPart> {
  const checked = checkRecord(list, value, leftOut, example)
  if (checked !== undefined) yield { kind: 'record', list, record: checked }
}

const COMPLEXITY: Readonly<Record<string, string>> = {
  upperCase: 'hasUppercase',
  lowerCase: 'hasLowercase',
  digits: 'hasNumber',
  specialChars: 'hasSymbol',
}

function headerOf(members: SourceMembers, realm: string, orgId: string): JsonObject {
  const register = members.flag('registrationAllowed')
  const reset = members.flag('resetPasswordAllowed')
  const byEmail = members.flag('loginWithEmailAllowed')
  const isProtected = members.flag('bruteForceProtected')
  const failures = members.number('failureFactor')
  const displayName = members.text('displayName')
  return compact({
    orgId,
    org: { name: (displayName ?? realm).slice(0, 200) },
    orgState: members.flag('enabled') === false ? 'ORG_STATE_INACTIVE' : undefined,
    loginPolicy: {
      allowRegister: register,
      hidePasswordReset: reset === undefined ? undefined : !reset,
      disableLoginWithEmail: byEmail === undefined ? undefined : !byEmail,
    },
    // Zero is a lockout policy that never locks.
    lockoutPolicy: {
      maxPasswordAttempts: isProtected === undefined ? undefined : isProtected ? failures : 0,
    },
    passwordComplexityPolicy: complexityOf(members),
  })
}

/** `length(8) and upperCase(1) and hashIterations(27500)`. */
function complexityOf(members: SourceMembers): JsonObject {
  const policy: Record<string, unknown> = {}
  for (const rule of members.text('passwordPolicy')?.split(' and ') ?? []) {
    const [, name = '', value = ''] = /^(\w+)\((.*)\)$/.exec(rule.trim()) ?? []
    const member = Object.hasOwn(COMPLEXITY, name) ? COMPLEXITY[name] : undefined
    const count = /^\d{1,4}$/.test(value) ? Number(value) : 1
    if (name === 'length' && count <= 72) policy.minLength = count
    else if (member !== undefined && count >= 1) policy[member] = true
    const isWhole = name === 'length' ? count <= 72 : member !== undefined && count <= 1
    if (!isWhole) members.leaveOut(`passwordPolicy ${name || 'of another form'}`)
  }
  return policy
}

const CLIENT_DEFAULTS = {
  protocol: 'openid-connect',
  surrogateAuthRequired: false,
  nodeReRegistrationTimeout: -1,
  notBefore: 0,
  frontchannelLogout: false,
  consentRequired: false,
  alwaysDisplayInConsole: false,
  fullScopeAllowed: true,
} as const
const REALM_DEFAULTS = {
  notBefore: 0,
  duplicateEmailsAllowed: false,
  registrationEmailAsUsername: false,
  rememberMe: false,
  verifyEmail: false,
  editUsernameAllowed: false,
  permanentLockout: false,
  eventsEnabled: false,
  adminEventsEnabled: false,
  adminEventsDetailsEnabled: false,
  internationalizationEnabled: false,
  userManagedAccessAllowed: false,
  organizationsEnabled: false,
  revokeRefreshToken: false,
  sslRequired: 'external',
  defaultSignatureAlgorithm: 'RS256',
  browserFlow: 'browser',
  registrationFlow: 'registration',
  directGrantFlow: 'direct grant',
  resetCredentialsFlow: 'reset credentials',
  clientAuthenticationFlow: 'clients',
} as const

const SIGNING_ALGORITHMS = ['RS256', 'ES256', 'EdDSA']
/** Keycloak makes secrets of 32 characters. SHA-256 alone does not protect a short one. */
const LEAST_SECRET_CHARACTERS = 22

function* convertClient(client: JsonObject, realm: Realm): Generator<ConvertedPart> {
  const { leftOut, organizationId } = realm
  const clientId = typeof client.clientId === 'string' ? client.clientId : ''
  if (isBuiltInClient(clientId, realm.name)) {
    leftOut.add('clients[] that Keycloak makes itself', clientId)
    return
  }
  if ((client.protocol ?? 'openid-connect') !== 'openid-connect') {
    leftOut.add(`clients[] of protocol ${client.protocol}`, clientId)
    return
  }
  const members = new SourceMembers('clients[]', client, leftOut, clientId)
  const attributes = new SourceMembers(
    'clients[].attributes',
    members.object('attributes') ?? {},
    leftOut,
    clientId,
  )
  members.takeDerived('clientId')
  members.takeDefaults(CLIENT_DEFAULTS)
  const isPublic = members.flag('publicClient') === true
  const isBearerOnly = members.flag('bearerOnly') === true
  const uris = clientUris(members, attributes)
  const grants = clientGrants(members, attributes)
  const isApi = isBearerOnly || (grants.responseTypes.length === 0 && grants.grantTypes.length === 0)
  const authentication = isPublic ? 'NONE' : authenticationOf(members)
  members.takeDerived('clientAuthenticatorType')
  const lifetime = attributes.text('access.token.lifespan')
  const pkce = attributes.text('pkce.code.challenge.method')
  if (pkce !== undefined && pkce !== 'S256') attributes.leaveOut(`pkce.code.challenge.method ${pkce}`)
  const app = {
    projectId: organizationId,
    name: (members.text('name') ?? clientId).slice(0, 200),
    clientId,
    clientSecretHash: isPublic ? undefined : secretHash(members),
    state: members.flag('enabled') === false ? 'APP_STATE_INACTIVE' : undefined,
    ...uris,
    ...(isApi ? {} : grants),
    additionalGrantTypes: grants.additionalGrantTypes,
    accessTokenType: 'OIDC_TOKEN_TYPE_JWT',
    accessTokenLifetime: lifetime === undefined ? undefined : `${lifetime}s`,
    // Keycloak demands a code challenge only where this attribute is set.
    pkceOptional: !isPublic && pkce !== 'S256' ? true : undefined,
    backChannelLogoutUri: attributes.text('backchannel.logout.url'),
    idTokenSigningAlg: algorithm(attributes, 'id.token.signed.response.alg'),
    accessTokenSigningAlg: algorithm(attributes, 'access.token.signed.response.alg'),
  }
  const appId = members.text('id') ?? clientId
  attributes.leaveRest()
  members.leaveRest()
  const kind = isApi ? 'API' : 'OIDC'
  const converted = compact({
    appId,
    app: {
      ...app,
      authMethodType: `${kind}_AUTH_METHOD_TYPE_${authentication}`,
      appType: isApi ? undefined : `OIDC_APP_TYPE_${appType(isPublic, uris.redirectUris)}`,
    },
  })
  yield* record(isApi ? 'apiApps' : 'oidcApps', converted, leftOut, clientId)
}

function appType(isPublic: boolean, redirectUris: readonly string[]): string {
  if (!isPublic) return 'WEB'
  const isWeb = redirectUris.every((uri) => /^https?:\/\/(?!localhost|127\.|\[::1\])/i.test(uri))
  return isWeb ? 'USER_AGENT' : 'NATIVE'
}

function authenticationOf(members: SourceMembers): string {
  const method = members.text('clientAuthenticatorType') ?? 'client-secret'
  if (method === 'client-jwt') return 'PRIVATE_KEY_JWT'
  if (method !== 'client-secret') members.leaveOut(`clientAuthenticatorType ${method}`)
  return 'BASIC'
}

function secretHash(members: SourceMembers): string | undefined {
  const secret = members.text('secret')
  if (secret === undefined) return undefined
  if (/^\*+$/.test(secret)) {
    members.leaveOut('secret that the export masks')
    return undefined
  }
  if (secret.length < LEAST_SECRET_CHARACTERS) {
    members.leaveOut(`secret of less than ${LEAST_SECRET_CHARACTERS} characters`)
    return undefined
  }
  return `sha256$${createHash('sha256').update(secret).digest('base64url')}`
}

function algorithm(attributes: SourceMembers, name: string): string | undefined {
  const value = attributes.text(name)
  if (value === undefined || SIGNING_ALGORITHMS.includes(value)) return value
  attributes.leaveOut(`${name} ${value}`)
  return undefined
}

function clientUris(members: SourceMembers, attributes: SourceMembers) {
  const rootUrl = members.text('rootUrl')
  const base = rootUrl !== undefined && URL.canParse(rootUrl) ? rootUrl : undefined
  const literal = (uris: readonly string[], what: string) =>
    uris.flatMap((uri) => {
      const absolute = uri.startsWith('/') && base !== undefined ? new URL(uri, base).href : uri
      if (!absolute.includes('*') && URL.canParse(absolute)) return [absolute]
      members.leaveOut(`${what} with a wildcard or relative`)
      return []
    })
  const redirectUris = literal(members.texts('redirectUris'), 'redirectUris')
  const expanded = (uris: readonly string[], plus: readonly string[]) => [
    ...new Set(uris.flatMap((uri) => (uri === '+' ? plus : [uri]))),
  ]
  const origins = redirectUris.filter((uri) => /^https?:/i.test(uri)).map((uri) => new URL(uri).origin)
  const logout = (attributes.text('post.logout.redirect.uris') ?? '').split('##').filter((uri) => uri !== '')
  return {
    redirectUris,
    postLogoutRedirectUris: literal(
      expanded(
        logout.filter((uri) => uri !== '-'),
        redirectUris,
      ),
      'post.logout.redirect.uris',
    ),
    additionalOrigins: literal(expanded(members.texts('webOrigins'), origins), 'webOrigins'),
  }
}

function clientGrants(members: SourceMembers, attributes: SourceMembers) {
  const code = members.flag('standardFlowEnabled') === true
  const implicit = members.flag('implicitFlowEnabled') === true
  const device = attributes.text('oauth2.device.authorization.grant.enabled') === 'true'
  const exchange = attributes.text('standard.token.exchange.enabled') === 'true'
  if (members.flag('directAccessGrantsEnabled') === true) members.leaveOut('directAccessGrantsEnabled')
  const service = members.flag('serviceAccountsEnabled') === true
  return {
    responseTypes: [
      ...(code ? ['OIDC_RESPONSE_TYPE_CODE'] : []),
      ...(implicit ? ['OIDC_RESPONSE_TYPE_ID_TOKEN', 'OIDC_RESPONSE_TYPE_ID_TOKEN_TOKEN'] : []),
    ],
    grantTypes: [
      ...(code ? ['OIDC_GRANT_TYPE_AUTHORIZATION_CODE', 'OIDC_GRANT_TYPE_REFRESH_TOKEN'] : []),
      ...(implicit ? ['OIDC_GRANT_TYPE_IMPLICIT'] : []),
      ...(device ? ['OIDC_GRANT_TYPE_DEVICE_CODE'] : []),
      ...(exchange ? ['OIDC_GRANT_TYPE_TOKEN_EXCHANGE'] : []),
    ],
    additionalGrantTypes: service ? ['client_credentials'] : undefined,
  }
}

function* convertProvider(provider: JsonObject, realm: Realm): Generator<ConvertedPart> {
  const { leftOut } = realm
  const members = new SourceMembers('identityProviders[]', provider, leftOut)
  const alias = members.text('alias') ?? ''
  members.example = alias
  const kind = members.text('providerId') ?? ''
  if (kind === 'saml' || alias === '') {
    leftOut.add(`identityProviders of kind ${kind || 'unknown'}`, alias)
    return
  }
  const config = new SourceMembers(
    'identityProviders[].config',
    members.object('config') ?? {},
    leftOut,
    alias,
  )
  const scopes = config.text('defaultScope')?.split(' ')
  const idp = {
    name: members.text('displayName') ?? alias,
    clientId: config.text('clientId'),
    clientSecret: config.text('clientSecret'),
    issuer: config.text('issuer'),
    scopes,
  }
  members.takeDerived('internalId')
  config.leaveRest()
  members.leaveRest()
  yield* record('oidcIdps', compact({ idpId: providerId(realm, alias), idp }), leftOut, alias)
}

/** Aliases are unique in their realm only. */
const providerId = ({ name }: Realm, alias: string) => `${name}.${alias}`

function* convertUser(user: JsonObject, realm: Realm): Generator<ConvertedPart> {
  const { leftOut, organizationId, roles } = realm
  const members = new SourceMembers('users[]', user, leftOut)
  const userName = members.text('username') ?? members.text('email')
  const userId = members.text('id') ?? userName ?? ''
  members.example = userName ?? userId
  const serviceAccount = members.text('serviceAccountClientId')
  if (serviceAccount !== undefined) {
    leftOut.add('users[] of service accounts, with their roles', serviceAccount)
    return
  }
  const attributes = attributesOf(members)
  const converted = compact({
    userId,
    user: {
      userName,
      profile: {
        firstName: members.text('firstName'),
        lastName: members.text('lastName'),
        ...attributes.profile,
      },
      email: emailOf(members),
      phone: attributes.phone,
      address: attributes.address,
      ...credentialsOf(members, realm),
    },
    // Keycloak reads a user without this member as disabled.
    state: members.flag('enabled') === true ? 'USER_STATE_ACTIVE' : 'USER_STATE_INACTIVE',
    creationDate: momentOf(members.number('createdTimestamp')),
  })
  const references = [...roleReferences(members, { realm: 'realmRoles', client: 'clientRoles' })]
  const paths = members.texts('groups')
  for (const path of paths) {
    const ofGroup = roles.ofGroup(path)
    if (ofGroup === undefined) members.leaveOut('groups that the realm does not have')
    else references.push(...ofGroup)
  }
  const roleKeys = roles.expand(references, (name) => members.leaveOut(`roles: ${name}`))
  const links = members.objects('federatedIdentities')
  members.takeDerived('totp', 'self', 'access')
  members.takeDefaults({ notBefore: 0 })
  members.leaveRest()

  const checked = checkRecord('humanUsers', converted, leftOut, members.example)
  if (checked === undefined) return
  yield { kind: 'record', list: 'humanUsers', record: checked }
  const metadata = [
    ...attributes.metadata,
    ...(paths.length > 0 ? [['keycloak.groups', paths] as const] : []),
  ]
  const keys = new Set<string>()
  for (const [key, value] of metadata) {
    if (keys.has(key)) leftOut.add('users[].attributes keycloak.groups', members.example)
    else
      yield* record(
        'userMetadata',
        { id: userId, key, value: metadataValue(value) },
        leftOut,
        members.example,
      )
    keys.add(key)
  }
  if (roleKeys.length > 0) {
    yield* record('userGrants', { userId, projectId: organizationId, roleKeys }, leftOut, members.example)
  }
  for (const link of links) yield* convertLink(link, { userId, realm, example: members.example })
}

function* convertLink(
  link: JsonObject,
  { userId, realm, example }: { readonly userId: string; readonly realm: Realm; readonly example: string },
): Generator<ConvertedPart> {
  const members = new SourceMembers('users[].federatedIdentities[]', link, realm.leftOut, example)
  const alias = members.text('identityProvider') ?? ''
  const converted = compact({
    userId,
    idpId: providerId(realm, alias),
    providedUserId: members.text('userId'),
    providedUserName: members.text('userName'),
  })
  members.leaveRest()
  yield* record('userLinks', converted, realm.leftOut, example)
}

function emailOf(members: SourceMembers): JsonObject | undefined {
  const email = members.text('email')
  const isEmailVerified = members.flag('emailVerified')
  return email === undefined ? undefined : compact({ email, isEmailVerified })
}

function momentOf(milliseconds: number | undefined): string | undefined {
  if (milliseconds === undefined) return undefined
  const date = new Date(milliseconds)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}

/** Attributes with a member of their own here; all others become metadata. */
const PROFILE: Readonly<Record<string, string>> = {
  locale: 'preferredLanguage',
  picture: 'picture',
  website: 'website',
  birthdate: 'birthdate',
  zoneinfo: 'zoneinfo',
  middleName: 'middleName',
  nickname: 'nickName',
}
const ADDRESS: Readonly<Record<string, string>> = {
  street: 'streetAddress',
  locality: 'locality',
  region: 'region',
  postal_code: 'postalCode',
  country: 'country',
}

function attributesOf(members: SourceMembers) {
  const profile: Record<string, string> = {}
  const address: Record<string, string> = {}
  const phone: Record<string, unknown> = {}
  const metadata: (readonly [string, unknown])[] = []
  for (const [name, values] of Object.entries(members.object('attributes') ?? {})) {
    const list = Array.isArray(values) ? values : [values]
    const [only] = list
    const text = list.length === 1 && typeof only === 'string' ? only : undefined
    if (isEmpty(values) || text === '') continue
    const inProfile = Object.hasOwn(PROFILE, name) ? PROFILE[name] : undefined
    const inAddress = Object.hasOwn(ADDRESS, name) ? ADDRESS[name] : undefined
    if (text !== undefined && inProfile !== undefined) profile[inProfile] = text
    else if (text !== undefined && inAddress !== undefined) address[inAddress] = text
    else if (text?.startsWith('+') && name === 'phoneNumber') phone.phone = text
    else if (text !== undefined && name === 'phoneNumberVerified') phone.isPhoneVerified = text === 'true'
    else metadata.push([name, text ?? list])
  }
  return { profile, address, phone: phone.phone === undefined ? undefined : phone, metadata }
}

/** The password, the TOTP seed, and whether the password has to be changed. */
function credentialsOf(members: SourceMembers, { leftOut }: Realm): JsonObject {
  const credentials: Record<string, unknown> = {}
  for (const action of members.texts('requiredActions')) {
    if (action === 'UPDATE_PASSWORD') credentials.passwordChangeRequired = true
    else members.leaveOut(`requiredActions ${action}`)
  }
  for (const credential of members.objects('credentials')) {
    const parts = new SourceMembers('users[].credentials[]', credential, leftOut, members.example)
    const type = parts.text('type') ?? 'unknown'
    const has = 'hashedPassword' in credentials || 'password' in credentials
    if (type === 'password' && !has) {
      Object.assign(credentials, passwordOf(parts, leftOut))
      if (parts.flag('temporary') === true) credentials.passwordChangeRequired = true
    } else if (type === 'otp' && credentials.otpCode === undefined) {
      const otpCode = otpOf(parts, leftOut)
      if (otpCode !== undefined) credentials.otpCode = otpCode
    } else {
      parts.takeRest()
      parts.leaveOut(`type ${type}`)
    }
    parts.takeDerived('id', 'priority')
    parts.leaveRest()
  }
  return credentials
}

/** Hashes as `kc.sh export` writes them, as versions before 8 did, and clear passwords of files that people write. */
function passwordOf(parts: SourceMembers, leftOut: LeftOut): JsonObject {
  const clear = parts.text('value')
  if (clear !== undefined) return { password: clear }
  const value = encodedHash(hashParts(parts, leftOut))
  const problem = value === undefined ? 'its algorithm has no accepted form' : findHashProblem(value)
  if (problem === undefined) return { hashedPassword: { value } }
  parts.leaveOut(`type password: ${problem}`)
  return {}
}

interface HashParts {
  readonly algorithm: string | undefined
  readonly iterations: number | undefined
  readonly salt: string | undefined
  readonly digest: string | undefined
  readonly parameters: JsonObject
}

function hashParts(parts: SourceMembers, leftOut: LeftOut): HashParts {
  const data = embeddedMembers(parts, 'credentialData', leftOut)
  const secret = embeddedMembers(parts, 'secretData', leftOut)
  const found = {
    algorithm: data.text('algorithm') ?? parts.text('algorithm'),
    iterations: data.number('hashIterations') ?? parts.number('hashIterations'),
    salt: secret.text('salt') ?? parts.text('salt'),
    digest: secret.text('value') ?? parts.text('hashedSaltedValue'),
    parameters: data.object('additionalParameters') ?? {},
  }
  data.leaveRest()
  secret.leaveRest()
  return found
}

/** Keycloak writes JSON in a text. */
function embeddedMembers(parts: SourceMembers, name: string, leftOut: LeftOut): SourceMembers {
  const kind = `users[].credentials[].${name}`
  const text = parts.text(name)
  if (text === undefined) return new SourceMembers(kind, {}, leftOut, parts.example)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {}
  if (!isObject(value)) parts.leaveOut(`${name} that is not a JSON object`)
  return new SourceMembers(kind, isObject(value) ? value : {}, leftOut, parts.example)
}

const PBKDF2: Readonly<Record<string, string>> = {
  pbkdf2: 'pbkdf2',
  'pbkdf2-sha256': 'pbkdf2-sha256',
  'pbkdf2-sha512': 'pbkdf2-sha512',
}

/** The parts of a hash in one text; undefined for an algorithm without such a form. */
function encodedHash({ algorithm, iterations, salt, digest, parameters }: HashParts): string | undefined {
  if (typeof algorithm !== 'string' || typeof salt !== 'string' || typeof digest !== 'string')
    return undefined
  const pbkdf2 = Object.hasOwn(PBKDF2, algorithm) ? PBKDF2[algorithm] : undefined
  if (pbkdf2 !== undefined) return `$${pbkdf2}$${iterations}$${salt}$${digest}`
  if (algorithm !== 'argon2') return undefined
  const first = (name: string) => {
    const value = Object.hasOwn(parameters, name) ? parameters[name] : undefined
    return Array.isArray(value) ? String(value[0]) : undefined
  }
  if (first('version') !== '1.3') return undefined
  const cost = `m=${first('memory')},t=${iterations},p=${first('parallelism')}`
  return `$argon2${first('type')}$v=19$${cost}$${salt.replace(/=+$/, '')}$${digest.replace(/=+$/, '')}`
}

/** The seed in base32, for TOTP with SHA-1, six digits and thirty seconds. */
function otpOf(parts: SourceMembers, leftOut: LeftOut): string | undefined {
  const data = embeddedMembers(parts, 'credentialData', leftOut)
  const secret = embeddedMembers(parts, 'secretData', leftOut)
  data.takeDefaults({ subType: 'totp', digits: 6, period: 30, algorithm: 'HmacSHA1', counter: 0 })
  const encoding = data.text('secretEncoding')
  const seed = secret.text('value')
  const others = data.takeRest().filter(([, value]) => !isEmpty(value))
  secret.leaveRest()
  if (others.length > 0 || seed === undefined || (encoding ?? 'BASE32') !== 'BASE32') {
    parts.leaveOut('type otp that is not TOTP with SHA-1, 6 digits and 30 seconds')
    return undefined
  }
  // Without this member the seed is the bytes of the text itself.
  return encoding === undefined ? encodeBase32(Buffer.from(seed)) : seed
}
