import type { Caller } from '@signet/admin-api/caller'
import { requireRole, roleMissing } from '@signet/admin-api/require-role'
import { type ReachingRole, reachAsFarAs } from '@signet/protocol/role-reach'
import type { MemberStore } from '../members/member.repository.ts'
import type { ResourceScope } from './permission.ts'
import { managesInstance, managesOrganization, type Permission, requireMayChooseIds } from './permission.ts'
import type { ResourceScopeStore } from './resource-scope.repository.ts'

interface Stores {
  readonly scopes: ResourceScopeStore
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
export async function requirePermission(stores: Stores, caller: Caller, call: Call): Promise<ResourceScope> {
  const { permission, input, actsOn } = call
  const scope = await findScope(stores.scopes, permission, input)
  for (const rule of permission.rules) requireRole(caller, rule(scope))
  for (const field of permission.chosenIds ?? []) {
    if (input[field] !== undefined) requireMayChooseIds(caller, field)
  }
  if (actsOn !== undefined) {
    const roles = await stores.members.counting(actsOn)
    requireReach(caller, scope, comparedRoles(call, scope, roles))
  }
  if (permission.actsOnEveryAccount?.(input) && scope.organizationId !== undefined) {
    requireReach(caller, scope, await stores.members.instanceRolesWithin(scope.organizationId))
  }
  return scope
}

/** An organization or project decides alone about its members: their roles elsewhere are not compared. */
function comparedRoles(
  { permission, input }: Call,
  { organizationId, projectId }: ResourceScope,
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
function requireReach(caller: Caller, scope: ResourceScope, roles: readonly ReachingRole[]): void {
  if (reachAsFarAs(caller.roles, roles)) return
  const { organizationId } = scope
  const isWithinOrganization = reachAsFarAs([{ role: 'ORG_OWNER', objectId: organizationId }], roles)
  throw roleMissing(isWithinOrganization ? managesOrganization(scope) : managesInstance())
}

async function findScope(
  scopes: ResourceScopeStore,
  { kind, field }: Permission,
  input: Readonly<Record<string, unknown>>,
): Promise<ResourceScope> {
  const id = field === undefined ? undefined : input[field]
  return typeof id === 'string' ? ((await scopes.find(kind, id)) ?? {}) : {}
}
