import { createHash } from 'node:crypto'
import { findHashProblem } from '@signet/password-hash/stored-hash'
import { isPlaceholder, isSample, PLACEHOLDER_RULE, SAMPLE_RULE } from '@signet/protocol/placeholder'
import {
  type ConvertedPart,
  checkRecord,
  compact,
  isEmpty,
  isObject,
  type JsonObject,
  languageTag,
  metadataValue,
  requireFilledIn,
  SourceError,
  type SourceFile,
  SourceMembers,
} from './conversion.ts'
import { readJsonLines } from './json-input.ts'
import type { LeftOut } from './left-out.ts'

/*
 * Converts files of Auth0: users (the export job), password hashes (the export that its support makes), clients and roles
 * (answers of its Management API). A file is known by its name: `passwords…`, `clients…`, `roles…`; every other one holds
 * users. The hashes are held in memory while the users are read.
 */

export interface Auth0Options {
  readonly organizationId?: string | undefined
  readonly organizationName?: string | undefined
  /** Public clients that Auth0 lets sign in without PKCE may go on without. */
  readonly pkceOptional?: boolean | undefined
}

interface Tenant {
  readonly organizationId: string
  readonly leftOut: LeftOut
  readonly pkceOptional: boolean
  /** Hashes by the id of the user, without the name of its connection. */
  readonly hashes: Map<string, string>
  readonly roles: Map<string, string[]>
}

/** Throws SourceError for files that are not those of Auth0. */
export async function* convertAuth0(
  files: readonly SourceFile[],
  { organizationId, organizationName, pkceOptional = false }: Auth0Options,
  leftOut: LeftOut,
): AsyncGenerator<ConvertedPart> {
  if (organizationId === undefined)
    throw new SourceError('an export of Auth0 needs the id of the organization')
  const tenant: Tenant = { organizationId, leftOut, pkceOptional, hashes: new Map(), roles: new Map() }
  yield { kind: 'organization', header: compact({ orgId: organizationId, org: { name: organizationName } }) }
  const initial = compact({ name: organizationName })
  yield* record('projects', { projectId: organizationId, project: {}, initial }, tenant, organizationId)
  for (const [kind, read] of Object.entries(READERS)) {
    for (const file of files.filter((one) => kindOf(one.name) === kind)) {
      for await (const object of objectsOf(file, leftOut)) yield* read(object, tenant)
    }
  }
  for (const [userId] of tenant.hashes) leftOut.add('password hashes of users that are in no file', userId)
  for (const [userId] of tenant.roles) leftOut.add('roles of users that are in no file', userId)
}

/** The reader of each kind of file. Users come last: their roles and hashes are in the others. */
const READERS = { roles: convertRole, clients: convertClient, passwords: readHash, users: convertUser }

const kindOf = (name: string) => /^(roles|clients|passwords)/.exec(name.toLowerCase())?.[1] ?? 'users'

async function* objectsOf(file: SourceFile, leftOut: LeftOut): AsyncGenerator<JsonObject> {
  for await (const value of readJsonLines(file)) {
    if (isObject(value)) yield value
    else leftOut.add('values that are no objects', file.name)
  }
}

function* record(
  list: Extract<ConvertedPart, { kind: 'record' }>['list'],
  value: JsonObject,
  { leftOut }: Tenant,
  example: string,
): Generator<ConvertedPart> {
  const checked = checkRecord(list, value, leftOut, example)
  if (checked !== undefined) yield { kind: 'record', list, record: checked }
}

/** A role of `GET /api/v2/roles`, with the members of `GET /api/v2/roles/{id}/users` as `users`. */
function* convertRole(role: JsonObject, tenant: Tenant): Generator<ConvertedPart> {
  const members = new SourceMembers('roles', role, tenant.leftOut)
  const roleKey = members.text('name') ?? ''
  members.example = roleKey
  for (const user of members.objects('users')) {
    const userId = user.user_id
    if (typeof userId !== 'string') members.leaveOut('users[] without user_id')
    else tenant.roles.set(userId, [...(tenant.roles.get(userId) ?? []), roleKey])
  }
  members.takeDerived('id')
  const displayName = members.text('description')?.slice(0, 200)
  members.leaveRest()
  yield* record(
    'projectRoles',
    compact({ projectId: tenant.organizationId, roleKey, displayName }),
    tenant,
    roleKey,
  )
}

/** The line of a user in the export of passwords. */
// biome-ignore lint/correctness/useYield: the readers of all files have one type.
function* readHash(line: JsonObject, { hashes, leftOut }: Tenant): Generator<ConvertedPart> {
  const members = new SourceMembers('passwords', line, leftOut)
  const id = members.object('_id')?.$oid ?? members.text('_ID') ?? members.text('_id')
  members.example = typeof id === 'string' ? id : ''
  const hash = members.text('passwordHash')
  members.takeDerived('email', 'email_verified', 'tenant', 'connection', '_ID', '_id')
  members.leaveRest()
  if (typeof id !== 'string' || hash === undefined) members.leaveOut('without id or passwordHash')
  else hashes.set(id, hash)
}

const GRANTS: Readonly<Record<string, string>> = {
  authorization_code: 'OIDC_GRANT_TYPE_AUTHORIZATION_CODE',
  implicit: 'OIDC_GRANT_TYPE_IMPLICIT',
  refresh_token: 'OIDC_GRANT_TYPE_REFRESH_TOKEN',
  'urn:ietf:params:oauth:grant-type:device_code': 'OIDC_GRANT_TYPE_DEVICE_CODE',
}
const METHODS: Readonly<Record<string, string>> = {
  none: 'NONE',
  client_secret_post: 'POST',
  client_secret_basic: 'BASIC',
}
const TYPES: Readonly<Record<string, string>> = {
  spa: 'USER_AGENT',
  native: 'NATIVE',
  regular_web: 'WEB',
  non_interactive: 'WEB',
}
/** SHA-256 alone does not protect a short secret; Auth0 makes secrets of 64 characters. */
const LEAST_SECRET_CHARACTERS = 22

const entryOf = (table: Readonly<Record<string, string>>, name: string) =>
  Object.hasOwn(table, name) ? table[name] : undefined

/** A client of `GET /api/v2/clients`. */
function* convertClient(client: JsonObject, tenant: Tenant): Generator<ConvertedPart> {
  const { leftOut, organizationId } = tenant
  const members = new SourceMembers('clients', client, leftOut)
  requireFilledIn(client.client_id, 'client_id')
  const clientId = members.text('client_id') ?? ''
  members.example = clientId
  if (members.flag('global') === true) {
    leftOut.add('clients: the global client of the tenant', clientId)
    return
  }
  const grants = members.texts('grant_types').flatMap((grant) => {
    if (grant === 'client_credentials') return []
    const type = entryOf(GRANTS, grant)
    if (type === undefined) members.leaveOut(`grant_types ${grant}`)
    return type ?? []
  })
  const isService = Array.isArray(client.grant_types) && client.grant_types.includes('client_credentials')
  const appType = members.text('app_type') ?? 'regular_web'
  const type = entryOf(TYPES, appType)
  if (type === undefined) members.leaveOut(`app_type ${appType}`)
  const named = members.text('token_endpoint_auth_method')
  const method = named ?? (appType === 'spa' || appType === 'native' ? 'none' : 'client_secret_post')
  const authentication = entryOf(METHODS, method)
  if (authentication === undefined) {
    leftOut.add(`clients that authenticate by ${method}`, clientId)
    return
  }
  const secret = members.text('client_secret')
  const isKnownSample = secret !== undefined && isSample(secret)
  if (isKnownSample) members.leaveOut(`client_secret: ${SAMPLE_RULE}`)
  const isKept =
    secret !== undefined && !isKnownSample && secret.length >= LEAST_SECRET_CHARACTERS && method !== 'none'
  if (secret !== undefined && !isKept && method !== 'none')
    members.leaveOut('client_secret that is too short')
  const jwt = new SourceMembers(
    'clients.jwt_configuration',
    members.object('jwt_configuration') ?? {},
    leftOut,
    clientId,
  )
  const alg = jwt.text('alg')
  const isSupported = alg !== undefined && ['RS256', 'ES256', 'EdDSA'].includes(alg)
  if (alg !== undefined && !isSupported) jwt.leaveOut(`alg ${alg}`)
  const lifetime = jwt.number('lifetime_in_seconds')
  jwt.leaveRest()
  const origins = [...members.texts('web_origins'), ...members.texts('allowed_origins')]
  const literal = (uris: readonly string[], what: string) =>
    uris.filter((uri) => {
      const isLiteral = !uri.includes('*') && URL.canParse(uri)
      if (!isLiteral) members.leaveOut(`${what} with a wildcard or relative`, uri)
      return isLiteral
    })
  // Auth0 demands a code challenge of no client.
  const mayOmitPkce = grants.includes('OIDC_GRANT_TYPE_AUTHORIZATION_CODE')
  const isPublic = method === 'none'
  if (mayOmitPkce && isPublic && !tenant.pkceOptional) members.leaveOut('public client without PKCE')
  const app = compact({
    projectId: organizationId,
    name: members.text('name')?.slice(0, 200),
    clientId,
    clientSecretHash: isKept
      ? `sha256$${createHash('sha256').update(secret).digest('base64url')}`
      : undefined,
    redirectUris: literal(members.texts('callbacks'), 'callbacks'),
    postLogoutRedirectUris: literal(members.texts('allowed_logout_urls'), 'allowed_logout_urls'),
    additionalOrigins: literal([...new Set(origins)], 'web_origins'),
    grantTypes: grants,
    responseTypes: [
      ...(grants.includes('OIDC_GRANT_TYPE_AUTHORIZATION_CODE') ? ['OIDC_RESPONSE_TYPE_CODE'] : []),
      ...(grants.includes('OIDC_GRANT_TYPE_IMPLICIT')
        ? ['OIDC_RESPONSE_TYPE_ID_TOKEN', 'OIDC_RESPONSE_TYPE_ID_TOKEN_TOKEN']
        : []),
    ],
    additionalGrantTypes: isService ? ['client_credentials'] : undefined,
    appType: `OIDC_APP_TYPE_${type ?? 'WEB'}`,
    authMethodType: `OIDC_AUTH_METHOD_TYPE_${authentication}`,
    idTokenSigningAlg: isSupported ? alg : undefined,
    idTokenLifetime: lifetime === undefined ? undefined : `${lifetime}s`,
    pkceOptional: mayOmitPkce && (!isPublic || tenant.pkceOptional) ? true : undefined,
  })
  members.takeDerived('tenant', 'global')
  members.takeDefaults({
    oidc_conformant: [true],
    is_first_party: [true],
    sso_disabled: [false],
    cross_origin_auth: [false],
  })
  members.leaveRest()
  yield* record('oidcApps', { appId: clientId, app }, tenant, clientId)
}

/** A user of the export job; its members are those that the job was asked for. */
function* convertUser(user: JsonObject, tenant: Tenant): Generator<ConvertedPart> {
  const { leftOut, organizationId } = tenant
  const members = new SourceMembers('users', user, leftOut)
  const userId = members.text('user_id') ?? ''
  members.example = userId
  const [email, phone] = [members.text('email'), members.text('phone_number')]
  const locale = members.text('locale')
  const isEmailVerified = members.flag('email_verified')
  const isPhoneVerified = members.flag('phone_verified')
  const blocked = members.flag('blocked')
  const metadata = [...metadataOf(members, 'user_metadata'), ...metadataOf(members, 'app_metadata')]
  const links = linksOf(members, leftOut)
  const converted = compact({
    userId,
    user: {
      userName: members.text('username'),
      profile: {
        firstName: members.text('given_name'),
        lastName: members.text('family_name'),
        nickName: members.text('nickname'),
        displayName: members.text('name'),
        preferredLanguage: locale && languageTag(locale),
        picture: members.text('picture'),
      },
      email: email === undefined ? undefined : { email, isEmailVerified },
      phone: phone === undefined ? undefined : { phone, isPhoneVerified },
      hashedPassword: hashOf(userId, tenant),
    },
    state: blocked === undefined ? undefined : blocked ? 'USER_STATE_INACTIVE' : 'USER_STATE_ACTIVE',
    creationDate: members.text('created_at'),
    changeDate: members.text('updated_at'),
  })
  members.leaveRest()
  const roleKeys = [...new Set(tenant.roles.get(userId))]
  tenant.roles.delete(userId)
  const checked = checkRecord('humanUsers', converted, leftOut, userId)
  if (checked === undefined) return
  yield { kind: 'record', list: 'humanUsers', record: checked }
  const keys = new Set<string>()
  for (const [key, value] of metadata) {
    if (keys.has(key)) leftOut.add(`users: a second value of metadata ${key}`, userId)
    else yield* record('userMetadata', { id: userId, key, value: metadataValue(value) }, tenant, userId)
    keys.add(key)
  }
  if (roleKeys.length > 0)
    yield* record('userGrants', { userId, projectId: organizationId, roleKeys }, tenant, userId)
  for (const link of links) yield* record('userLinks', compact({ userId, ...link }), tenant, userId)
}

/** The members of one kind of metadata, by `app_metadata.plan`: both kinds may have a member of the same name. */
function metadataOf(members: SourceMembers, name: string): readonly (readonly [string, unknown])[] {
  const entries = Object.entries(members.object(name) ?? {}).filter(([key, value]) => {
    if (isPlaceholder(value)) members.leaveOut(`${name}.${key}: ${PLACEHOLDER_RULE}`)
    return !isEmpty(value) && !isPlaceholder(value)
  })
  return entries.map(([key, value]) => [name === 'user_metadata' ? key : `${name}.${key}`, value] as const)
}

/** The identities besides that of the database of Auth0. */
function linksOf(members: SourceMembers, leftOut: LeftOut): readonly JsonObject[] {
  return members.objects('identities').flatMap((identity) => {
    const parts = new SourceMembers('users.identities', identity, leftOut, members.example)
    const provider = parts.text('provider')
    const connection = parts.text('connection')
    const id = parts.text('user_id') ?? parts.number('user_id')?.toString()
    parts.takeDerived('isSocial')
    parts.leaveRest()
    return provider === 'auth0' ? [] : [{ idpId: connection ?? provider ?? '', providedUserId: id }]
  })
}

function hashOf(userId: string, { hashes, leftOut }: Tenant): JsonObject | undefined {
  const id = userId.replace(/^auth0\|/, '')
  const value = hashes.get(id)
  hashes.delete(id)
  if (value === undefined) return undefined
  const problem = findHashProblem(value)
  if (problem === undefined) return { value }
  leftOut.add(`passwords: ${problem}`, userId)
  return undefined
}
