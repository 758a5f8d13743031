import type { Caller } from '@signet/admin-api/caller'
import { requireRole, requireRoleAnywhere, roleMissing } from '@signet/admin-api/require-role'
import type { ReachingRole } from '@signet/protocol/role-reach'
import { isUserIdentifier } from '@signet/tokens/identifiers'
import { mayChangeAccount } from './authority.ts'
import type { MemberStore } from './member.repository.ts'
import type { ResourceScope } from './permission.ts'
import { managesInstance, managesOrganization, type Permission, requireMayChooseIds } from './permission.ts'
import type { ResourceScopeStore } from './resource-scope.repository.ts'
import { isNothing, type SeenObjects, seenObjects } from './seen-objects.ts'

interface Stores {
  readonly scopes: ResourceScopeStore
  readonly members: MemberStore
}

interface Call {
  readonly permission: Permission
  readonly input: Readonly<Record<string, unknown>>
  /** The id of the account that the call acts on, if it acts on one. */
  readonly actsOn: string | undefined
  /** Scope of the object of the call, as `requireRoles` returned it. */
  readonly scope: ResourceScope
}

/**
 * Decides, before the request is read, who may never make the call: a caller who holds no role that permits the operation
 * on any object. Throws ApiError PERMISSION_DENIED that names the roles that would do.
 */
export function requireRolesAnywhere(caller: Caller, permission: Permission): void {
  if (permission.seen !== undefined && !isNothing(seenObjects(caller, permission.seen))) return
  for (const rule of permission.rules) requireRoleAnywhere(caller, rule({}))
}

/**
 * Decides whether the caller holds a role that permits the operation where its object lies; `id` is that of the object.
 * Otherwise throws ApiError PERMISSION_DENIED that names the roles that would do. Returns where the object lies. A list that
 * names no object is for callers who see one.
 */
export async function requireRoles(
  { scopes }: Pick<Stores, 'scopes'>,
  caller: Caller,
  { permission, id }: { readonly permission: Permission; readonly id: unknown },
): Promise<ResourceScope> {
  if (id === undefined && permission.seen !== undefined) {
    const seen = seenObjects(caller, permission.seen)
    if (!isNothing(seen)) return seen === undefined ? {} : scopeOfAll(seen)
  }
  const scope = (isUserIdentifier(id) && (await scopes.find(permission.kind, id))) || {}
  for (const rule of permission.rules) requireRole(caller, rule(scope))
  return scope
}

/** The organization of a list, where all its objects are in one. */
function scopeOfAll({ organizationIds, projectIds }: SeenObjects): ResourceScope {
  const [organizationId, ...others] = organizationIds
  const isOne = organizationId !== undefined && others.length === 0 && projectIds.length === 0
  return isOne ? { organizationId } : {}
}

/**
 * Decides what of an operation the caller may do to whom, once `requireRoles` let it begin: the caller needs roles that
 * reach as far as those of the account that it acts on. Otherwise throws ApiError PERMISSION_DENIED.
 */
export async function requireReachOfCall(stores: Stores, caller: Caller, call: Call): Promise<void> {
  const { permission, input, actsOn, scope } = call
  for (const field of permission.chosenIds ?? []) {
    if (input[field] !== undefined) requireMayChooseIds(caller, field)
  }
  if (permission.ownerFields?.some((field) => input[field] !== undefined)) {
    requireRole(caller, managesOrganization(scope))
  }
  if (actsOn !== undefined) {
    const roles = await stores.members.counting(actsOn)
    requireReach(caller, scope, comparedRoles(call, roles))
  }
  if (permission.actsOnEveryAccount?.(input) && scope.organizationId !== undefined) {
    requireReach(caller, scope, await stores.members.instanceRolesWithin(scope.organizationId))
  }
}

/** An organization or project decides alone about its members: their roles elsewhere are not compared. */
function comparedRoles(
  { permission, input, scope: { organizationId, projectId } }: Call,
  roles: readonly ReachingRole[],
): readonly ReachingRole[] {
  const compared = permission.compared?.(input) ?? (permission.kind === 'user' ? 'all' : 'here')
  if (compared === 'none') return []
  if (compared === 'all') return roles
  return roles.filter(({ objectId, organizationId: within }) => {
    const isOfProject = projectId === undefined ? within === organizationId : objectId === projectId
    return objectId === undefined || objectId === organizationId || isOfProject
  })
}

/** A caller who may not know other accounts hears the same of one that is out of its reach and of one with IAM_ roles. */
function requireReach(caller: Caller, scope: ResourceScope, roles: readonly ReachingRole[]): void {
  if (mayChangeAccount(caller.roles, roles)) return
  const { organizationId } = scope
  const isWithinOrganization = mayChangeAccount([{ role: 'ORG_OWNER', objectId: organizationId }], roles)
  throw roleMissing(isWithinOrganization ? managesOrganization(scope) : managesInstance())
}
