import { ApiError } from '@signet/admin-api/api-error'
import { requireRole, roleMissing } from '@signet/admin-api/require-role'
import type { ManagementCall } from '../api/management-call.ts'
import type { ImpersonationStore } from '../impersonations/impersonation.repository.ts'
import { isForeign, isImpersonator, mayGiveRole, mayNameUser } from '../permissions/authority.ts'
import type { MemberStore } from '../permissions/member.repository.ts'
import type { Administered, Member } from '../permissions/member.ts'
import { type NameReads, namesFor, userNames } from '../permissions/object-names.ts'
import { managesInstance, managesOrganization } from '../permissions/permission.ts'
import type { ResourceScopeStore } from '../permissions/resource-scope.repository.ts'
import type { ProjectGrantStore } from '../projects/project-grant.repository.ts'
import type { Page, PageRequest } from '../schema/paging.ts'

interface Stores {
  readonly members: MemberStore
  readonly impersonations: ImpersonationStore
  readonly scopes: ResourceScopeStore
  readonly projectGrants: ProjectGrantStore
}

/** The stores for reading; changes get theirs from the call. */
interface Reads {
  readonly stores: Stores
}

/** Neither: the instance. */
interface ResourceScope {
  readonly organizationId?: string
  readonly projectId?: string
}

type Target = ResourceScope & Pick<Member, 'userId'>

export async function listMembers(
  call: ManagementCall<Stores>,
  { limit, cursor, ...scope }: ResourceScope & PageRequest,
  services: Reads & NameReads,
): Promise<Page<Member & ReturnType<typeof userNames>>> {
  const page = await services.stores.members.list(administered(scope), { limit, cursor })
  const nameOf = await namesFor(call, { user: page.items.map(({ userId }) => userId) }, services)
  return {
    ...page,
    items: page.items.map((member) => ({ ...member, ...userNames(nameOf('user', member.userId)) })),
  }
}

export function readMember(
  _call: ManagementCall<Stores>,
  { userId, ...scope }: Target,
  { stores }: Reads,
): Promise<Member> {
  return requireMember(stores.members, administered(scope), userId)
}

/**
 * Gives an account these roles and takes the others away; its next call is checked against them. Only an IAM_OWNER gives
 * impersonator roles, because an impersonator could act as an IAM_OWNER. A new role for an account of another organization
 * does not count until it is accepted.
 */
export function setMember(
  call: ManagementCall<Stores>,
  { userId, roles, ...scope }: ResourceScope & Omit<Member, 'pendingRoles'>,
): Promise<Member> {
  const at = administered(scope)
  return call.change(async (stores) => {
    const { members } = stores
    const before = (await members.find(at, userId))?.roles ?? []
    const added = roles.filter((role) => !before.includes(role))
    if (added.length > 0) await requireMayGive(call, stores, at, added)
    const accepted = added.length === 0 || !(await requireUserInReach(call, stores, at, userId)).isForeign
    await members.set(at, { userId, roles, accepted })
    const result = await requireMember(members, at, userId)
    const epochs = await stores.impersonations.endedHere()
    return { result, details: { roles: result.roles }, epochs }
  })
}

/** Throws ApiError PERMISSION_DENIED for a role that the caller's own roles do not give. */
async function requireMayGive(
  { caller }: Pick<ManagementCall, 'caller'>,
  { scopes }: Pick<Stores, 'scopes'>,
  at: Administered,
  roles: readonly string[],
): Promise<void> {
  const scope = at.level === 'instance' ? {} : ((await scopes.find(at.level, at.id)) ?? {})
  const objectId = at.level === 'instance' ? undefined : at.id
  const { organizationId } = scope
  const refused = roles.filter((role) => !mayGiveRole(caller.roles, { objectId, organizationId }, role))
  if (refused.some(isImpersonator)) requireRole(caller, managesInstance())
  if (refused.length > 0) throw roleMissing(managesOrganization(scope))
}

export function deleteMember(call: ManagementCall<Stores>, { userId, ...scope }: Target): Promise<void> {
  const at = administered(scope)
  return call.change(async ({ members, impersonations }) => {
    const { roles } = await requireMember(members, at, userId)
    await members.set(at, { userId, roles: [], accepted: false })
    const epochs = await impersonations.endedHere()
    return { result: undefined, details: { roles }, epochs }
  })
}

function administered({ organizationId, projectId }: ResourceScope): Administered {
  if (organizationId !== undefined) return { level: 'organization', id: organizationId }
  return projectId === undefined ? { level: 'instance' } : { level: 'project', id: projectId }
}

async function requireMember(members: MemberStore, at: Administered, userId: string): Promise<Member> {
  const member = await members.find(at, userId)
  if (member !== undefined) return member
  throw new ApiError('NOT_FOUND', 'the user administers nothing here', { reason: 'member_unknown' })
}

/**
 * Managers of an organization give roles to its own users; giving them to others, and learning whether they
 * exist, needs IAM_OWNER. Users of an organization that has accepted a grant of the project are allowed too.
 */
export async function requireUserInReach(
  { caller }: Pick<ManagementCall, 'caller'>,
  { scopes, projectGrants }: Pick<Stores, 'scopes' | 'projectGrants'>,
  where: Administered,
  userId: string,
): Promise<{ readonly isForeign: boolean }> {
  if (where.level === 'instance') return { isForeign: false }
  const home = (await scopes.find('user', userId))?.organizationId
  const owner = (await scopes.find(where.level, where.id))?.organizationId
  if (!isForeign({ home, owner })) return { isForeign: false }
  const isGranted =
    where.level === 'project' && home !== undefined && (await projectGrants.isAccepted(where.id, home))
  if (!mayNameUser(caller.roles, { home, owner, isGranted })) requireRole(caller, managesInstance())
  return { isForeign: true }
}
