import type { ManagementCall, Tools } from '../api/management-call.ts'
import type { NamedKind, SeenOfKinds } from '../permissions/object-name.ts'
import { type NameReads, seenBy } from '../permissions/object-names.ts'
import { isNothing } from '../permissions/seen-objects.ts'
import type { ReferenceStore } from './reference.repository.ts'
import type { Reference } from './reference.ts'

interface Stores {
  readonly references: ReferenceStore
}

/** The stores for reading; changes get theirs from the call. */
interface Reads {
  readonly stores: Stores
}

/** Callers refuse a name of several objects, and show these. */
const MOST = 20

/** The objects of one kind that a name means, of those that the caller may read. */
export async function findReferences(
  { caller }: ManagementCall<Stores>,
  { kind, name }: { readonly kind: NamedKind; readonly name: string },
  { stores }: Reads,
): Promise<{ readonly items: readonly Reference[] }> {
  const seen = seenBy(caller)[kind === 'application' ? 'project' : kind]
  if (isNothing(seen)) return { items: [] }
  return { items: await stores.references.find(kind, name, { seen, most: MOST }) }
}

const EVERYTHING: SeenOfKinds = { organization: undefined, user: undefined, project: undefined }

/** Returns the caller with the roles that count, and the names of the objects that they are for. */
export async function readCaller(
  { caller }: ManagementCall,
  _input: object,
  { stores, issuer }: NameReads & Pick<Tools, 'issuer'>,
) {
  const { userId, kind, organizationId, roles, signInDemand } = caller
  const held = (level: string) => roles.filter(({ role }) => role.startsWith(`${level}_`))
  const idsOf = (level: string) => [...new Set(held(level).flatMap(({ objectId }) => objectId ?? []))].sort()
  const [organizations, projects] = [idsOf('ORG'), idsOf('PROJECT')]
  const ids = { user: [userId], organization: [organizationId, ...organizations], project: projects }
  const nameOf = await stores.objectNames.find(ids, EVERYTHING)
  const rolesIn = (level: string, id?: string) =>
    held(level)
      .flatMap(({ role, objectId }) => (objectId === id ? [role] : []))
      .sort()
  const user = nameOf('user', userId)
  return {
    issuer,
    userId,
    kind,
    userName: user?.name,
    displayName: user?.displayName,
    organizationId,
    organizationName: nameOf('organization', organizationId)?.name,
    roles: rolesIn('IAM'),
    organizations: organizations.map((id) => ({
      id,
      name: nameOf('organization', id)?.name,
      roles: rolesIn('ORG', id),
    })),
    projects: projects.map((id) => ({
      id,
      name: nameOf('project', id)?.name,
      roles: rolesIn('PROJECT', id),
    })),
    signInDemand,
  }
}
