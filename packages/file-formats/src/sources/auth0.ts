import { convertClient } from './auth0-clients.ts'
import { convertConnection } from './auth0-connections.ts'
import { readOrganization } from './auth0-organizations.ts'
import { record, type Tenant } from './auth0-tenant.ts'
import { isTenantFile, readTenantFile, type TenantLists } from './auth0-tenant-file.ts'
import { countOthers, isTreeFile, readTreeFile, treeKindOf } from './auth0-tree.ts'
import { convertUser } from './auth0-users.ts'
import {
  type ConvertedPart,
  compact,
  isObject,
  type JsonObject,
  SourceError,
  type SourceFile,
  SourceMembers,
} from './conversion.ts'
import { readJsonLines } from './json-input.ts'
import type { LeftOut } from './left-out.ts'

/*
 * Converts files of Auth0: users (the export job), password hashes (the export that its support makes), clients, connections,
 * roles and organizations (answers of its Management API). A file is known by its name: `passwords…`, `clients…`, `connections…`,
 * `roles…`, `organizations…`; every other one holds users. `tenant.yaml` of the
 * deploy CLI has several of them; its trees have a folder of each. The hashes are held in memory while the users are read.
 */

export interface Auth0Options {
  readonly organizationId?: string | undefined
  readonly organizationName?: string | undefined
  /** Public clients that Auth0 lets sign in without PKCE may go on without. */
  readonly pkceOptional?: boolean | undefined
}

/** Throws SourceError for files that are not those of Auth0. */
export async function* convertAuth0(
  files: readonly SourceFile[],
  { organizationId, organizationName, pkceOptional = false }: Auth0Options,
  leftOut: LeftOut,
): AsyncGenerator<ConvertedPart> {
  if (organizationId === undefined)
    throw new SourceError('an export of Auth0 needs the id of the organization')
  const tenant: Tenant = {
    ...{ organizationId, leftOut, pkceOptional },
    ...{ hashes: new Map(), roles: new Map(), organizations: new Set(), memberships: new Map() },
    connections: new Map(),
  }
  yield { kind: 'organization', header: compact({ orgId: organizationId, org: { name: organizationName } }) }
  const initial = compact({ name: organizationName })
  yield* record('projects', { projectId: organizationId, project: {}, initial }, tenant, organizationId)
  const tenantFiles = new Map<SourceFile, TenantLists>()
  for (const file of files.filter(({ name }) => isTenantFile(name)))
    tenantFiles.set(file, await readTenantFile(file, LISTS, leftOut))
  await countOthers(
    files.filter(({ name }) => isTreeFile(name) && treeKindOf(name) === undefined),
    leftOut,
  )
  for (const [kind, read] of Object.entries(READERS)) {
    for (const file of files) {
      const lists = tenantFiles.get(file)
      if (lists === undefined && kindOf(file.name) !== kind) continue
      let objects = 0
      let records = 0
      for await (const object of lists === undefined
        ? objectsOf(file, kind, leftOut)
        : (lists.get(kind) ?? [])) {
        objects += 1
        for (const part of read(object, tenant)) {
          records += 1
          yield part
        }
        if (kind === 'passwords') records = tenant.hashes.size
        if (kind === 'organizations') records = tenant.organizations.size
        if (kind === 'connections') records = tenant.connections.size
      }
      if (objects > 0 && records === 0) {
        throw new SourceError(`${file.name}: none of its ${objects} objects could be read as ${FORMS[kind]}`)
      }
    }
  }
  for (const [userId] of tenant.hashes) leftOut.add('password hashes of users that are in no file', userId)
  for (const [userId] of tenant.roles) leftOut.add('roles of users that are in no file', userId)
  for (const [userId] of tenant.memberships) leftOut.add('organizations of users that are in no file', userId)
}

/** The reader of each kind of file. Users come last: their roles, organizations and hashes are in the others. */
const READERS = {
  roles: convertRole,
  organizations: readOrganization,
  clients: convertClient,
  connections: convertConnection,
  passwords: readHash,
  users: convertUser,
}

/** The lists of a file of the deploy CLI. */
const LISTS = ['roles', 'organizations', 'clients', 'connections']

/** The members by which the objects of each kind of file are known. */
const FORMS: Readonly<Record<string, string>> = {
  roles: 'a role: with name',
  organizations: 'an organization: with id or name',
  clients: 'a client: with client_id or name',
  connections: 'a connection: with name and strategy',
  passwords: 'a password hash: with _id or _ID, and passwordHash',
  users: 'a user: with user_id, or with email as in a file for the bulk import',
}

const kindOf = (name: string) => (isTreeFile(name) ? treeKindOf(name) : namedKindOf(name))

const namedKindOf = (name: string) =>
  /^(roles|organizations|clients|connections|passwords)/.exec(name.toLowerCase())?.[1] ?? 'users'

/** The objects of a file, also of answers with pages: `{"start":0,"clients":[…]}`, `{"next":"…","organizations":[…]}`. */
async function* objectsOf(file: SourceFile, kind: string, leftOut: LeftOut): AsyncGenerator<JsonObject> {
  for await (const value of isTreeFile(file.name) ? readTreeFile(file) : readJsonLines(file)) {
    const page = isObject(value) && ('start' in value || 'next' in value) ? value[kind] : undefined
    for (const object of Array.isArray(page) ? page : [value]) {
      if (isObject(object)) yield object
      else leftOut.add('values that are no objects', file.name)
    }
  }
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
  const displayName = members.shortText('description', 200)
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
  const own = members.object('_id') ?? members.object('_ID')
  const id = own?.$oid ?? members.text('_ID') ?? members.text('_id')
  members.example = typeof id === 'string' ? id : ''
  const hash = members.text('passwordHash')
  members.takeDerived('email', 'email_verified', 'tenant', 'connection', '_ID', '_id')
  members.leaveRest()
  if (typeof id !== 'string' || hash === undefined) members.leaveOut('without id or passwordHash')
  else hashes.set(id, hash)
}
