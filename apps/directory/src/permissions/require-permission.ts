import type { Caller } from '@signet/admin-api/caller'
import { requireRole, roleMissing } from '@signet/admin-api/require-role'
import { type ReachingRole, reachAsFarAs } from '@signet/protocol/role-reach'
import type { MemberStore } from '../members/member.repository.ts'
import type { Place } from './permission.ts'
import { managesInstance, managesOrganization, type Permission, requireMayChooseIds } from './permission.ts'
import type { PlaceStore } from './place.repository.ts'

interface Stores {
  readonly places: PlaceStore
  readonly members: MemberStore
}

interface Call {
  readonly permission: Permission
  readonly input: Readonly<Record<string, unknown>>
  /** The id of the account that the call acts on, if it acts on one. */
  readonly actsOn: string | undefined
}

/**
 * Decides who may do what to whom, for every operation: the caller needs a role that permits the operation where its
 * object lies, and roles that reach as far as those of the account that it acts on. Otherwise throws ApiError
 * PERMISSION_DENIED that names the roles that would do. Returns where the object lies.
 */
export async function requirePermission(stores: Stores, caller: Caller, call: Call): Promise<Place> {
  const { permission, input, actsOn } = call
  const place = await findPlace(stores.places, permission, input)
  for (const rule of permission.rules) requireRole(caller, rule(place))
  for (const field of permission.chosenIds ?? []) {
    if (input[field] !== undefined) requireMayChooseIds(caller, field)
  }
  if (actsOn !== undefined) {
    const roles = await stores.members.counting(actsOn)
    requireReach(caller, place, comparedRoles(call, place, roles))
  }
  if (permission.actsOnEveryAccount?.(input) && place.organizationId !== undefined) {
    requireReach(caller, place, await stores.members.instanceRolesWithin(place.organizationId))
  }
  return place
}

/** An organization or project decides alone about its members: their roles elsewhere are not compared. */
function comparedRoles(
  { permission, input }: Call,
  { organizationId, projectId }: Place,
  roles: readonly ReachingRole[],
): readonly ReachingRole[] {
  const compared = permission.compared?.(input) ?? (permission.kind === 'user' ? 'all' : 'here')
  if (compared === 'all') return roles
  return roles.filter(({ objectId, organizationId: within }) => {
    const isOfProject = projectId === undefined ? within === organizationId : objectId === projectId
    return objectId === undefined || objectId === organizationId || isOfProject
  })
}

/** A caller who may not know other accounts hears the same of one that is out of its reach and of one with IAM_ roles. */
function requireReach(caller: Caller, place: Place, roles: readonly ReachingRole[]): void {
  if (reachAsFarAs(caller.roles, roles)) return
  const { organizationId } = place
  const isWithinOrganization = reachAsFarAs([{ role: 'ORG_OWNER', objectId: organizationId }], roles)
  throw roleMissing(isWithinOrganization ? managesOrganization(place) : managesInstance())
}

async function findPlace(
  places: PlaceStore,
  { kind, field }: Permission,
  input: Readonly<Record<string, unknown>>,
): Promise<Place> {
  const id = field === undefined ? undefined : input[field]
  return typeof id === 'string' ? ((await places.find(kind, id)) ?? {}) : {}
}
