import { createHash } from 'node:crypto'

/** An object that a document brings before the records that refer to it. */
export interface PlannedObject {
  readonly kind: string
  readonly id: string
  readonly ownerId: string
}

/** The references of the records of a list, as the keys under which a document contains the objects. */
type References = (record: never) => readonly string[]

const user = (id: string) => `principal/${id}`
const project = (id: string) => `project/${id}`

const REFERENCES: Readonly<Record<string, References>> = {
  userMetadata: ({ id }: { id: string }) => [user(id)],
  machineKeys: ({ userId }: { userId: string }) => [user(userId)],
  machineTrustedIssuers: ({ userId }: { userId: string }) => [user(userId)],
  projectRoles: ({ projectId }: { projectId: string }) => [project(projectId)],
  oidcApps: ({ app }: { app: { projectId: string } }) => [project(app.projectId)],
  apiApps: ({ app }: { app: { projectId: string } }) => [project(app.projectId)],
  appKeys: ({ appId, projectId }: { appId: string; projectId?: string }) => [
    ...(projectId === undefined ? [] : [project(projectId)]),
    `application/${appId}`,
  ],
  appTrustedIssuers: ({ appId }: { appId: string }) => [`application/${appId}`],
  projectGrants: ({ projectGrant }: { projectGrant: { projectId: string; grantedOrgId: string } }) => [
    project(projectGrant.projectId),
    `organization/${projectGrant.grantedOrgId}`,
  ],
  userGrants: ({
    userId,
    projectId,
    roleKeys = [],
  }: {
    userId: string
    projectId: string
    roleKeys?: string[]
  }) => [user(userId), project(projectId), ...roleKeys.map((roleKey) => `role/${projectId}/${roleKey}`)],
  orgMembers: ({ userId }: { userId: string }) => [user(userId)],
  projectMembers: ({ userId, projectId }: { userId: string; projectId: string }) => [
    user(userId),
    project(projectId),
  ],
  projectGrantMembers: ({ userId, projectId }: { userId: string; projectId: string }) => [
    user(userId),
    project(projectId),
  ],
  oidcIdps: ({ idp }: { idp?: unknown }) =>
    mappedRoles(idp).flatMap(({ projectId, roles }) => [
      project(projectId),
      ...roles.map((roleKey) => `role/${projectId}/${roleKey}`),
    ]),
  userLinks: ({ userId, idpId }: { userId: string; idpId: string }) => [user(userId), `idp/${idpId}`],
}

/** The role mappings of an identity provider, whose members are not checked yet. */
function mappedRoles(
  idp: unknown,
): readonly { readonly projectId: string; readonly roles: readonly string[] }[] {
  const { roleMappings } = (idp ?? {}) as { readonly roleMappings?: unknown }
  if (!Array.isArray(roleMappings)) return []
  return roleMappings.flatMap((mapping: unknown) => {
    const { projectId, roles } = (mapping ?? {}) as { readonly projectId?: unknown; readonly roles?: unknown }
    if (typeof projectId !== 'string' || !Array.isArray(roles)) return []
    return [{ projectId, roles: roles.filter((role) => typeof role === 'string') }]
  })
}

/** The keys of everything that these records refer to, the organization that they lie in included. */
export function referencedKeys(
  list: string,
  organizationId: string,
  records: readonly unknown[],
): readonly string[] {
  const references = REFERENCES[list]
  const own = list === 'organization' ? [] : [`organization/${organizationId}`]
  return [
    ...new Set([
      ...own,
      ...(references === undefined ? [] : records.flatMap((record) => references(record as never))),
    ]),
  ]
}

/** Objects that a dry run needs as placeholders, with their parents. */
export function plannedObjects(list: string, found: ReadonlyMap<string, string>): readonly PlannedObject[] {
  const organizations = new Set(found.values())
  const objects = [...found].flatMap(([key, organizationId]) => {
    const [kind = '', first = '', ...rest] = key.split('/')
    if (kind === 'principal') {
      const account = { kind, id: first, ownerId: organizationId }
      return /^machine(Keys|TrustedIssuers)$/.test(list)
        ? [account, { ...account, kind: 'serviceUser' }]
        : [account]
    }
    if (kind === 'role') return [{ kind, id: rest.join('/'), ownerId: first }]
    if (kind === 'application') {
      const project = ownProject(found)
      if (project !== undefined) return [{ kind, id: first, ownerId: project }]
      const planned = plannedProject(organizationId)
      return [
        { kind: 'project', id: planned, ownerId: organizationId },
        { kind, id: first, ownerId: planned },
      ]
    }
    return kind === 'project' || kind === 'idp' ? [{ kind, id: first, ownerId: organizationId }] : []
  })
  return [...[...organizations].map((id) => ({ kind: 'organization', id, ownerId: '' })), ...objects]
}

/** An application is imagined in any project of the same records: only that it is there counts. */
function ownProject(found: ReadonlyMap<string, string>): string | undefined {
  const key = [...found.keys()].find((candidate) => candidate.startsWith('project/'))
  return key?.slice('project/'.length)
}

/** The id of a project of the organization for applications whose records name none. */
const plannedProject = (organizationId: string): string =>
  `planned.${createHash('sha256').update(organizationId).digest('hex')}`
