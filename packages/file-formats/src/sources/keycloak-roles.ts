import { isObject, type JsonObject, SourceMembers } from './conversion.ts'
import type { ClientScopes } from './keycloak-mappers.ts'
import type { LeftOut } from './left-out.ts'

/** Clients that Keycloak creates. Their roles are rights in Keycloak. */
const BUILT_IN_CLIENTS: ReadonlySet<string> = new Set([
  'account',
  'account-console',
  'admin-cli',
  'broker',
  'realm-management',
  'security-admin-console',
])
/** Realm roles that are rights in Keycloak. */
const BUILT_IN_ROLES: ReadonlySet<string> = new Set(['offline_access', 'uma_authorization'])
/** Keycloak gives it to the service account of each client with authorization services. */
const PROTECTION_ROLE = 'uma_protection'

/** The realm `master` has a client `R-realm` for each realm R. */
export function isBuiltInClient(clientId: string, realm: string): boolean {
  return BUILT_IN_CLIENTS.has(clientId) || (realm === 'master' && clientId.endsWith('-realm'))
}

function isBuiltInRole(name: string, realm: string): boolean {
  if (name === `default-roles-${realm}`) return true
  if (name === 'admin' || name === 'create-realm') return realm === 'master'
  return BUILT_IN_ROLES.has(name)
}

interface Role {
  /** Undefined for a built-in role of Keycloak. */
  readonly key: string | undefined
  readonly displayName?: string | undefined
  readonly parts: readonly string[]
}

interface Group {
  /** Its roles, and those of the groups around it. */
  readonly references: readonly string[]
  readonly parent: Group | undefined
  readonly own: readonly string[]
}

const realmRole = (name: string) => `realm\0${name}`
const clientRole = (clientId: string, name: string) => `client\0${clientId}\0${name}`

/** `NAME` of a realm role, `CLIENT:NAME` of a role of a client. */
const nameOf = (reference: string) => reference.split('\0').slice(1).join(':')

/** The references to roles in `realmRoles` and `clientRoles` of a user or group. */
export function roleReferences(
  members: SourceMembers,
  names: { readonly realm: string; readonly client: string },
): readonly string[] {
  const references = members.texts(names.realm).map(realmRole)
  for (const [clientId, roles] of Object.entries(members.object(names.client) ?? {})) {
    const isList = Array.isArray(roles)
    for (const name of isList ? roles : [roles]) {
      if (isList && typeof name === 'string') references.push(clientRole(clientId, name))
      else members.leaveOut(`${names.client}[]`)
    }
  }
  return references
}

/** The references to the roles of the groups of a user. Groups that the realm does not have are counted. */
export function groupReferences(
  members: SourceMembers,
  paths: readonly string[],
  roles: KeycloakRoles,
): readonly string[] {
  return paths.flatMap((path) => {
    const ofGroup = roles.ofGroup(path)
    if (ofGroup === undefined) members.leaveOut('groups that the realm does not have', path)
    return ofGroup ?? []
  })
}

/**
 * The roles and groups of a realm. A role of a client has the key `clientId:name`. Composite roles and groups are expanded,
 * because roles of Signet contain no roles.
 */
export class KeycloakRoles {
  readonly #roles = new Map<string, Role>()
  readonly #groups = new Map<string, Group>()
  readonly #used = new Set<Group>()
  readonly #keys = new Set<string>()

  constructor(realm: string, roles: JsonObject, leftOut: LeftOut) {
    const lists = new SourceMembers('roles', roles, leftOut)
    for (const role of lists.objects('realm')) {
      this.#add(role, 'roles.realm[]', leftOut, (name) => ({
        reference: realmRole(name),
        key: isBuiltInRole(name, realm) ? undefined : name,
      }))
    }
    for (const [clientId, ofClient] of Object.entries(lists.object('client') ?? {})) {
      for (const role of Array.isArray(ofClient) ? ofClient : [ofClient]) {
        if (!isObject(role)) {
          lists.leaveOut('client[]')
          continue
        }
        this.#add(role, 'roles.client[]', leftOut, (name) => ({
          reference: clientRole(clientId, name),
          key:
            isBuiltInClient(clientId, realm) || name === PROTECTION_ROLE ? undefined : `${clientId}:${name}`,
        }))
      }
    }
    lists.leaveRest()
  }

  /** The roles of the project that the realm becomes. */
  projectRoles(): readonly { readonly roleKey: string; readonly displayName?: string | undefined }[] {
    return [...this.#roles.values()].flatMap(({ key, displayName }) =>
      key === undefined ? [] : [{ roleKey: key, displayName }],
    )
  }

  addGroups(groups: readonly JsonObject[], leftOut: LeftOut): void {
    this.#addGroups(groups, '', undefined, leftOut)
  }

  /** The roles of a group and its parent groups; undefined for an unknown path. */
  ofGroup(path: string): readonly string[] | undefined {
    const found = this.#groups.get(path) ?? this.#groups.get(`/${path}`)
    for (let group = found; group !== undefined; group = group.parent) this.#used.add(group)
    return found?.references
  }

  /** Returns the groups with roles of their own that no call of `ofGroup` has asked for. */
  unusedGroups(): readonly { readonly path: string; readonly roles: readonly string[] }[] {
    return [...this.#groups].flatMap(([path, group]) =>
      group.own.length > 0 && !this.#used.has(group) ? [{ path, roles: group.own.map(nameOf) }] : [],
    )
  }

  /**
   * Expands references to role keys. Calls `unknown` for each reference without a role, and `administrative` for each role that
   * administers a realm, but not for the roles in it.
   */
  expand(
    references: readonly string[],
    unknown: (name: string) => void,
    administrative = unknown,
  ): readonly string[] {
    const keys = new Set<string>()
    const seen = new Set<string>()
    const waiting = references.map((reference) => ({ reference, isWithin: false }))
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { reference, isWithin } = next
      if (seen.has(reference)) continue
      seen.add(reference)
      const name = nameOf(reference)
      const role = this.#roles.get(reference)
      if (role === undefined) {
        unknown(name)
        continue
      }
      // A right in Keycloak is not converted: an administrator decides who gets such a right in Signet.
      const isRight = role.key === undefined && ADMINISTRATIVE.test(reference)
      if (isRight && !isWithin) administrative(name)
      if (role.key !== undefined) keys.add(role.key)
      waiting.push(...role.parts.map((part) => ({ reference: part, isWithin: isWithin || isRight })))
    }
    return [...keys].sort()
  }

  #add(
    role: JsonObject,
    kind: string,
    leftOut: LeftOut,
    name: (name: string) => { readonly reference: string; readonly key: string | undefined },
  ): void {
    const members = new SourceMembers(kind, role, leftOut)
    const ownName = members.text('name')
    if (ownName === undefined) {
      members.leaveOut('without a name')
      members.leaveRest()
      return
    }
    members.example = ownName
    const { reference, key } = name(ownName)
    const composites = new SourceMembers(
      `${kind}.composites`,
      members.object('composites') ?? {},
      leftOut,
      ownName,
    )
    const parts = roleReferences(composites, { realm: 'realm', client: 'client' })
    composites.leaveRest()
    members.takeDerived('id', 'composite', 'clientRole', 'containerId')
    if (key === undefined) {
      members.takeRest()
      leftOut.add('roles that Keycloak makes itself', ownName)
    }
    const description = members.text('description')
    members.leaveRest()
    if (key !== undefined && this.#keys.has(key)) {
      // Two roles under one key would give the members of each the rights of the other.
      members.leaveOut('of a key that another role has')
      return
    }
    if (key !== undefined) this.#keys.add(key)
    this.#roles.set(reference, { key, displayName: description, parts })
  }

  #addGroups(
    groups: readonly JsonObject[],
    parentPath: string,
    parent: Group | undefined,
    leftOut: LeftOut,
  ): void {
    for (const group of groups) {
      const members = new SourceMembers('groups[]', group, leftOut)
      const name = members.text('name') ?? ''
      const path = members.text('path') ?? `${parentPath}/${name}`
      members.example = path
      const own = roleReferences(members, { realm: 'realmRoles', client: 'clientRoles' })
      const references = [...(parent?.references ?? []), ...own]
      const added = { references, parent, own }
      this.#groups.set(path, added)
      this.#addGroups(members.objects('subGroups'), path, added, leftOut)
      members.takeDerived('id', 'parentId', 'subGroupCount')
      members.leaveRest()
    }
  }
}

/** Roles of Keycloak that administer a realm, in contrast to those for the own account. */
const ADMINISTRATIVE = /^realm\0(admin|create-realm)$|^client\0(realm-management|[^\0]+-realm)\0/

/** A realm during its conversion. */
export interface Realm {
  readonly name: string
  readonly organizationId: string
  readonly projectId: string
  readonly roles: KeycloakRoles
  readonly scopes: ClientScopes
  /** The clients that may be service users, until the roles of their service accounts are known. */
  readonly services: Map<string, JsonObject>
  /** Whether public clients that Keycloak lets sign in without PKCE may go on without. */
  readonly pkceOptional: boolean
  /** How long an access token lasts unless its client says otherwise. */
  readonly accessTokenSeconds: number | undefined
  /** The id that a client of the realm has here. */
  readonly clientId: (clientId: string) => string
  readonly leftOut: LeftOut
}
