import fc from 'fast-check'

// The model of an undo: it knows documents and reports only, and nothing of the tables.

type Json = Readonly<Record<string, unknown>>
/** The records of an organization by `list/key`. */
export type State = ReadonlyMap<string, Json>

/** The key of a record in its list, and the ids that it belongs to. */
const LISTS: Readonly<Record<string, { readonly key: (record: never) => string; readonly stage: number }>> = {
  humanUsers: { key: ({ userId }: { userId: string }) => userId, stage: 1 },
  machineUsers: { key: ({ userId }: { userId: string }) => userId, stage: 1 },
  projects: { key: ({ projectId }: { projectId: string }) => projectId, stage: 1 },
  userMetadata: { key: ({ id, key }: { id: string; key: string }) => `${id} ${key}`, stage: 2 },
  projectRoles: {
    key: ({ projectId, roleKey }: { projectId: string; roleKey: string }) => `${projectId} ${roleKey}`,
    stage: 2,
  },
  oidcApps: { key: ({ appId }: { appId: string }) => appId, stage: 2 },
  userGrants: {
    key: ({ userId, projectId }: { userId: string; projectId: string }) => `${userId} ${projectId}`,
    stage: 4,
  },
  orgMembers: { key: ({ userId }: { userId: string }) => userId, stage: 4 },
}

/** The state that an export shows, without the times of changes. */
export function stateOf(organization: Json | undefined): State {
  if (organization === undefined) return new Map()
  const lists = Object.entries(LISTS).flatMap(([list, { key }]) =>
    ((organization[list] ?? []) as Json[]).map(({ changeDate: _, ...record }): [string, Json] => [
      `${list}/${key(record as never)}`,
      record,
    ]),
  )
  const header = Object.fromEntries(Object.entries(organization).filter(([name]) => !(name in LISTS)))
  return new Map<string, Json>([['organization/', header], ...lists])
}

/** The records of a document in the order of their lists; the report counts them the same way. */
export const keyOfLine = (document: Json, list: string, index: number): string => {
  if (list === 'organization') return 'organization/'
  const record = (document[list] as Json[])[index] ?? {}
  return `${list}/${LISTS[list]?.key(record as never)}`
}

const stageOf = (key: string) => LISTS[key.split('/')[0] ?? '']?.stage ?? 0

interface Undo {
  readonly before: State
  /** After the import. */
  readonly after: State
  /** When the undo begins. */
  readonly present: State
  readonly created: ReadonlySet<string>
  readonly updated: ReadonlySet<string>
  readonly force: boolean
}

/** The state after an undo, and the records that it keeps although the import wrote them. */
export function undone({ before, after, present, created, updated, force }: Undo): {
  readonly state: State
  readonly kept: readonly string[]
} {
  const state = new Map(present)
  const kept: string[] = []
  const written = [...created, ...updated].toSorted((one, other) => stageOf(other) - stageOf(one))
  for (const key of written) {
    const record = state.get(key)
    if (record === undefined) continue
    const isChanged = text(record) !== text(after.get(key))
    const { objects, parts } = dependentsOf(state, key)
    const old = before.get(key)
    if (isChanged && !force) kept.push(key)
    else if (!created.has(key)) {
      if (old === undefined || !hasRoles(state, old)) kept.push(key)
      else state.set(key, old)
    } else if (objects > 0 || (parts.length > 0 && !force)) kept.push(key)
    else {
      for (const part of parts) state.delete(part)
      state.delete(key)
      takeRole(state, key)
    }
  }
  return { state, kept: kept.toSorted() }
}

function hasRoles(state: State, { projectId, roleKeys = [] }: { projectId?: string; roleKeys?: string[] }) {
  return roleKeys.every((role) => state.has(`projectRoles/${projectId} ${role}`))
}

/** The records that would go with one, and how many other objects. */
function dependentsOf(state: State, key: string) {
  const [list = '', id = ''] = key.split('/')
  const all = [...state]
  const of = (names: readonly string[], owns: (record: Json) => boolean) =>
    all
      .filter(([name, record]) => names.includes(name.split('/')[0] ?? '') && owns(record))
      .map(([name]) => name)
  if (list === 'organization')
    return {
      objects: of(['humanUsers', 'machineUsers', 'projects'], () => true).length,
      parts: of(['orgMembers'], () => true),
    }
  if (list === 'humanUsers' || list === 'machineUsers') {
    const parts = of(
      ['userMetadata', 'userGrants', 'orgMembers'],
      (record) => (record.userId ?? record.id) === id,
    )
    return { objects: 0, parts }
  }
  const ofProject = ({ projectId, app }: Json) => (projectId ?? (app as Json | undefined)?.projectId) === id
  if (list === 'projects')
    return {
      objects: of(['oidcApps'], ofProject).length,
      parts: of(['projectRoles', 'userGrants'], ofProject),
    }
  if (list !== 'projectRoles') return { objects: 0, parts: [] }
  const [project, role] = id.split(' ')
  const grants = of(
    ['userGrants'],
    ({ projectId, roleKeys = [] }) => projectId === project && (roleKeys as string[]).includes(role ?? ''),
  )
  // They lose the role and stay.
  return { objects: 0, parts: grants.map(() => 'none/') }
}

/** Takes a deleted role out of the grants that have it. */
function takeRole(state: Map<string, Json>, key: string): void {
  const [list, id = ''] = key.split('/')
  if (list !== 'projectRoles') return
  const [project, role] = id.split(' ')
  for (const [name, record] of state) {
    if (!name.startsWith('userGrants/') || record.projectId !== project) continue
    const { roleKeys, ...rest } = record
    const left = ((roleKeys ?? []) as string[]).filter((roleKey) => roleKey !== role)
    state.set(name, { ...rest, ...(left.length > 0 && { roleKeys: left }) })
  }
}

/** A record as a text that does not depend on the order of its members and roles. */
export const text = (record: Json | undefined): string =>
  JSON.stringify(record, (_, value) => {
    if (Array.isArray(value))
      return value.every((part) => typeof part === 'string') ? value.toSorted() : value
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).sort())
  })

const HASHES = [
  '$2a$14$WzQ8nYtq3RkVf0sXe1uBhOgWwE3LaJUoLEdr.s.9CXS/2OTSCh9Py',
  '$2a$14$WzQ8nYtq3RkVf0sXe1uBhOgWwE3LaJUoLEdr.s.9CXS/2OTSCh9Pz',
]
const USERS = [0, 1, 2]
const PROJECTS = [0, 1]
const ROLES = ['reader', 'writer']

/** Variant of an object that a document has; 0: none. */
const variant = fc.constantFrom(0, 0, 1, 2)

/** A document of one organization with some of the objects, each in one of two variants. */
export function documents(orgId: string): fc.Arbitrary<Json> {
  const id = (name: string) => `${orgId}-${name}`
  const some = <T>(of: readonly T[], record: (one: T, version: number) => Json) =>
    fc
      .tuple(...of.map(() => variant))
      .map((versions) =>
        versions.flatMap((version, at) => (version === 0 ? [] : [record(of[at] as T, version)])),
      )
  const pairs = USERS.flatMap((user) => PROJECTS.map((project) => ({ user, project })))
  return fc.record({
    orgId: fc.constant(orgId),
    org: fc.constantFrom('One', 'Two').map((name) => ({ name })),
    loginPolicy: fc.constantFrom({ forceMfa: true }, { allowRegister: false }),
    domains: fc.constant([{ domainName: `${orgId}.example`, isVerified: true, isPrimary: true }]),
    humanUsers: some(USERS, (user, version) => ({
      userId: id(`u${user}`),
      user: {
        userName: id(`u${user}`),
        profile: { firstName: `Version ${version}`, lastName: 'Family' },
        email: { email: `${version}@${orgId}.example`, isEmailVerified: version === 2 },
        hashedPassword: { value: HASHES[version - 1] },
        ...(version === 2 && { otpCode: 'JBSWY3DPEHPK3PXP' }),
      },
      state: version === 1 ? 'USER_STATE_ACTIVE' : 'USER_STATE_INACTIVE',
      creationDate: '2025-01-01T00:00:00Z',
    })),
    machineUsers: some([0], (user, version) => ({
      userId: id(`m${user}`),
      user: { userName: id(`m${user}`), name: `Version ${version}`, description: `Machine ${version}` },
      clientSecretHashes: [{ hash: HASHES[version - 1] }],
      creationDate: '2025-01-01T00:00:00Z',
    })),
    projects: some(PROJECTS, (project, version) => ({
      projectId: id(`p${project}`),
      project: { name: `Version ${version}`, projectRoleCheck: version === 2 },
    })),
    projectRoles: some(
      PROJECTS.flatMap((project) => ROLES.map((roleKey) => ({ project, roleKey }))),
      ({ project, roleKey }, version) => ({
        projectId: id(`p${project}`),
        roleKey,
        displayName: `Version ${version}`,
      }),
    ),
    oidcApps: some(PROJECTS, (project, version) => ({
      appId: id(`a${project}`),
      app: {
        projectId: id(`p${project}`),
        name: `Version ${version}`,
        redirectUris: [`https://${orgId}.example/${version}`],
        responseTypes: ['OIDC_RESPONSE_TYPE_CODE'],
        grantTypes: ['OIDC_GRANT_TYPE_AUTHORIZATION_CODE'],
        appType: 'OIDC_APP_TYPE_WEB',
        authMethodType: 'OIDC_AUTH_METHOD_TYPE_BASIC',
        clientId: id(`a${project}`),
        clientSecretHash: HASHES[version - 1],
      },
    })),
    userMetadata: some(USERS, (user, version) => ({
      id: id(`u${user}`),
      key: 'k',
      value: Buffer.from(`Version ${version}`).toString('base64'),
    })),
    userGrants: some(pairs, ({ user, project }, version) => ({
      userId: id(`u${user}`),
      projectId: id(`p${project}`),
      roleKeys: version === 1 ? ['reader'] : ROLES,
    })),
    orgMembers: some(USERS, (user, version) => ({
      userId: id(`u${user}`),
      roles: version === 1 ? ['ORG_OWNER'] : ['ORG_OWNER_VIEWER', 'ORG_USER_MANAGER'],
    })),
  })
}

/** Objects that are deleted between an import and its undo, as paths of the management API. */
export const deletions = (orgId: string): fc.Arbitrary<readonly string[]> =>
  fc.subarray(
    [
      ...USERS.map((user) => `/users/${orgId}-u${user}`),
      `/users/${orgId}-u0/metadata/k`,
      `/projects/${orgId}-p0/roles/writer`,
      `/applications/${orgId}-a1`,
      `/projects/${orgId}-p1`,
    ],
    { maxLength: 3 },
  )
