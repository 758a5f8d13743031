import { IDENTIFIER } from '@signet/tokens/identifiers'
import { parseJson, type Reading } from '../json-stream/json-scanner.ts'
import {
  type ConvertedPart,
  compact,
  isObject,
  type JsonObject,
  record,
  requireFilledIn,
  SourceError,
  type SourceFile,
  SourceMembers,
} from './conversion.ts'
import { MEBIBYTE, readJson } from './json-input.ts'
import { convertClient } from './keycloak-clients.ts'
import { REALM_DEFAULTS } from './keycloak-defaults.ts'
import { ClientScopes } from './keycloak-mappers.ts'
import { convertProvider } from './keycloak-providers.ts'
import { isBuiltInClient, KeycloakRoles, type Realm } from './keycloak-roles.ts'
import { convertServiceAccount, isServiceOnly } from './keycloak-service-accounts.ts'
import { convertUser } from './keycloak-users.ts'
import { type LeftOut, printable } from './left-out.ts'
import { stableId } from './stable-id.ts'

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
  /** Id of the organization, instead of the id of the realm. */
  readonly organizationId?: string | undefined
  readonly organizationName?: string | undefined
  /** Public clients that Keycloak lets sign in without PKCE may go on without. */
  readonly pkceOptional?: boolean | undefined
  /** The id of each client begins with the name of its realm: `REALM.CLIENT`. */
  readonly prefixClientIds?: boolean | undefined
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
      if (part.members.has('auth-server-url'))
        throw new SourceError(`${file.name} is the configuration of an adapter, not a realm export`)
      if (typeof realm !== 'string')
        throw new SourceError(`${file.name} is no realm export: it names no realm`)
      requireFilledIn(realm, 'realm')
      realms.set(realm, [...(realms.get(realm) ?? []), part])
    }
  }
  if (realms.size === 0) throw new SourceError('there is no realm in these files')
  if (realms.size > 1 && (options.organizationId ?? options.organizationName) !== undefined) {
    throw new SourceError(`these files hold ${realms.size} realms; each becomes an organization of its own`)
  }
  if (options.prefixClientIds !== true) requireDistinctClients(realms)
  const clientIds = new Set(
    [...realms].flatMap(([realm, parts]) =>
      clientsOf(parts).map((clientId) => (options.prefixClientIds ? `${realm}.${clientId}` : clientId)),
    ),
  )
  for (const [realm, parts] of realms) yield* convertRealm(realm, parts, { ...options, clientIds }, leftOut)
}

/** The ids of the clients of a realm that become applications. */
function clientsOf(parts: readonly RealmPart[]): readonly string[] {
  return parts.flatMap(({ members }) => {
    const clients = members.get('clients')
    return (Array.isArray(clients) ? clients : []).flatMap((client) => {
      const clientId = isObject(client) ? client.clientId : undefined
      const isApplication =
        typeof clientId === 'string' &&
        !isBuiltInClient(clientId, String(members.get('realm'))) &&
        ((client as JsonObject).protocol ?? 'openid-connect') === 'openid-connect'
      return isApplication ? [clientId] : []
    })
  })
}

/** Throws SourceError when clients of two realms have one id, which is unique in an instance of Signet. */
function requireDistinctClients(realms: ReadonlyMap<string, readonly RealmPart[]>): void {
  const owners = new Map<string, string>()
  for (const [realm, parts] of realms) {
    for (const clientId of clientsOf(parts)) {
      const owner = owners.get(clientId)
      if (owner !== undefined && owner !== realm) {
        throw new SourceError(
          `the realms "${printable(owner)}" and "${printable(realm)}" both have a client "${printable(clientId)}", and a client id is unique here: import them with --prefix-client-ids, which makes it "${printable(realm)}.${printable(clientId)}", and tell the applications their new client ids`,
        )
      }
      owners.set(clientId, realm)
    }
  }
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

async function* convertRealm(
  name: string,
  parts: readonly RealmPart[],
  options: KeycloakOptions & { readonly clientIds: ReadonlySet<string> },
  leftOut: LeftOut,
): AsyncGenerator<ConvertedPart> {
  const members = new SourceMembers('realm', mergedParts(parts, name, leftOut), leftOut, name)
  members.takeDerived('realm')
  const organizationId = options.organizationId ?? organizationIdOf(name, members.text('id'))
  members.takeDerived('id')
  // A project and a client of another organization may not have one id.
  const projectId = options.clientIds.has(organizationId) ? `realm-${organizationId}` : organizationId
  const roles = new KeycloakRoles(name, members.object('roles') ?? {}, leftOut)
  roles.addGroups(members.objects('groups'), leftOut)
  // Keycloak names the role here that stands in `realmRoles` of each user too.
  members.takeDerived('defaultRole')
  const scopes = new ClientScopes(members.objects('clientScopes'), leftOut)
  members.texts('defaultDefaultClientScopes')
  members.texts('defaultOptionalClientScopes')
  const realm: Realm = {
    ...{ name, organizationId, projectId, roles, scopes, leftOut },
    services: new Map(),
    accessTokenSeconds: members.number('accessTokenLifespan'),
    pkceOptional: options.pkceOptional === true,
    clientId: (clientId) => (options.prefixClientIds === true ? `${name}.${clientId}` : clientId),
  }
  const clients = members.objects('clients')
  const providers = members.objects('identityProviders')
  const header = headerOf(members, options.organizationName, organizationId)
  members.takeDerived('keycloakVersion')
  members.takeDefaults(REALM_DEFAULTS)
  members.leaveRest()
  if (
    roles.projectRoles().length > 0 &&
    clients.some(({ clientId }) => !isBuiltInClient(String(clientId), name))
  )
    members.leaveOut('roles in realm_access and resource_access of tokens')

  const initial = { name: name.slice(0, 200) }
  yield { kind: 'organization', header: { ...header, initial: { ...initial, allowUsernamePassword: true } } }
  yield* record('projects', { projectId, project: {}, initial }, leftOut, name)
  for (const { roleKey, displayName } of roles.projectRoles()) {
    yield* record('projectRoles', compact({ projectId, roleKey, displayName }), leftOut, roleKey)
  }
  for (const client of clients) {
    if (isServiceOnly(client)) realm.services.set(String(client.clientId), client)
    else yield* convertClient(client, realm)
  }
  for (const provider of providers) yield* convertProvider(provider, realm)
  let users = 0
  let people = 0
  for (const part of parts) {
    for await (const user of readUsers(part)) {
      if (!isObject(user)) leftOut.add('users[] that are no objects', name)
      else if (user.serviceAccountClientId === undefined) users += 1
      if (!isObject(user)) continue
      const isService = typeof user.serviceAccountClientId === 'string'
      for (const converted of (isService ? convertServiceAccount : convertUser)(user, realm)) {
        if (converted.kind === 'record' && converted.list === 'humanUsers') people += 1
        yield converted
      }
    }
  }
  for (const group of roles.unusedGroups())
    for (const role of group.roles) leftOut.add('groups[] with roles and without people', group.path, role)
  // Without an account in these files nothing tells their roles.
  for (const client of realm.services.values()) yield* convertClient(client, realm)
  if (users > 0 && people === 0)
    throw new SourceError(`the realm "${printable(name)}": none of its ${users} users could be read`)
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

/** The id of the realm, or its name; one with characters that ids here do not have becomes a stable one. */
function organizationIdOf(name: string, id: string | undefined): string {
  const own = id ?? name
  return IDENTIFIER.test(own) ? own : stableId('keycloak', name, 'realm')
}

const COMPLEXITY: Readonly<Record<string, string>> = {
  upperCase: 'hasUppercase',
  lowerCase: 'hasLowercase',
  digits: 'hasNumber',
  specialChars: 'hasSymbol',
}

function headerOf(members: SourceMembers, name: string | undefined, orgId: string): JsonObject {
  const enabled = members.flag('enabled')
  const displayName = members.shortText('displayName', 200)
  const register = members.flag('registrationAllowed')
  const reset = members.flag('resetPasswordAllowed')
  const byEmail = members.flag('loginWithEmailAllowed')
  const isProtected = members.flag('bruteForceProtected')
  const failures = members.number('failureFactor')
  const attempts = isProtected === undefined ? undefined : isProtected ? failures : 0
  return compact({
    orgId,
    org: { name: name ?? displayName },
    orgState: enabled === undefined ? undefined : enabled ? 'ORG_STATE_ACTIVE' : 'ORG_STATE_INACTIVE',
    loginPolicy: {
      allowRegister: register,
      hidePasswordReset: reset === undefined ? undefined : !reset,
      disableLoginWithEmail: byEmail === undefined ? undefined : !byEmail,
    },
    // Zero is a lockout policy that never locks.
    lockoutPolicy: { maxPasswordAttempts: attempts, maxOtpAttempts: attempts },
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
