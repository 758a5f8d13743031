import { ApiError } from '@signet/admin-api/api-error'
import { invalidFields } from '@signet/admin-api/json-error-handler'
import type { AccountStore } from '../accounts/account.repository.ts'
import { requireAccount } from '../accounts/require-account.ts'
import type { ManagementCall, Tools } from '../api/management-call.ts'
import { requireUserInReach } from '../members/members.service.ts'
import type { ObjectNameStore } from '../permissions/object-name.repository.ts'
import { namesFor, userNames } from '../permissions/object-names.ts'
import type { ResourceScopeStore } from '../permissions/resource-scope.repository.ts'
import type { ProjectStore } from '../projects/project.repository.ts'
import type { ProjectGrantStore } from '../projects/project-grant.repository.ts'
import type { ProjectRoleStore } from '../projects/project-role.repository.ts'
import { requireProject } from '../projects/projects.service.ts'
import type { Page, PageRequest } from '../schema/paging.ts'
import type { UserGrant, UserGrantStore } from './user-grant.repository.ts'

/** The stores of a change of grants. */
export interface GrantStores {
  readonly projectGrants: ProjectGrantStore
  readonly projectRoles: ProjectRoleStore
  readonly projects: ProjectStore
  readonly objectNames: ObjectNameStore
  readonly scopes: ResourceScopeStore
  readonly userGrants: UserGrantStore
}

interface Stores extends GrantStores {
  readonly accounts: AccountStore
}

/** The stores for reading; changes get theirs from the call. */
interface Reads {
  readonly stores: Stores
}

/** A grant in a list, with the names that the caller may read. */
interface NamedGrant extends UserGrant {
  readonly userName?: string | undefined
  readonly displayName?: string | undefined
  readonly projectName?: string | undefined
}

interface Target {
  readonly projectId: string
  readonly userGrantId: string
}

export async function listUserGrants(
  call: ManagementCall<Stores>,
  {
    projectId,
    userId,
    ...request
  }: PageRequest & { readonly projectId: string; readonly userId?: string | undefined },
  services: Reads,
): Promise<Page<NamedGrant>> {
  return withNames(call, await services.stores.userGrants.list({ projectId, userId }, request), services)
}

/** The grants of a user in all projects, including those of other organizations. */
export async function listGrantsOfUser(
  call: ManagementCall<Stores>,
  { userId, ...request }: PageRequest & { readonly userId: string },
  services: Reads,
): Promise<Page<NamedGrant>> {
  const { accounts, userGrants } = services.stores
  await requireAccount(accounts, userId)
  return withNames(call, await userGrants.list({ userId }, request), services)
}

async function withNames(
  call: ManagementCall<Stores>,
  page: Page<UserGrant>,
  services: Reads,
): Promise<Page<NamedGrant>> {
  const ids = {
    user: page.items.map(({ userId }) => userId),
    project: page.items.map(({ projectId }) => projectId),
  }
  const nameOf = await namesFor(call, ids, services)
  const items = page.items.map((grant) => ({
    ...grant,
    ...userNames(nameOf('user', grant.userId)),
    projectName: nameOf('project', grant.projectId)?.name,
  }))
  return { ...page, items }
}

export function readUserGrant(
  _call: ManagementCall<Stores>,
  { projectId, userGrantId }: Target,
  { stores }: Reads,
): Promise<UserGrant> {
  return requireUserGrant(stores.userGrants, projectId, userGrantId)
}

/** Gives a user roles in a project. */
export function createUserGrant(
  call: ManagementCall<Stores>,
  { projectId, userId, roles }: Pick<UserGrant, 'projectId' | 'userId' | 'roles'>,
  { now }: Pick<Tools, 'now'>,
): Promise<UserGrant> {
  return call.change(async (stores) => {
    const result = await addUserGrant(call, stores, { id: call.targetId, projectId, userId, roles }, now())
    return { result, details: { user_id: userId, roles: result.roles } }
  })
}

/** Gives a user roles in a project, in the transaction of the caller. */
export async function addUserGrant(
  call: Pick<ManagementCall, 'caller'>,
  stores: GrantStores,
  { id, projectId, userId, roles }: Omit<UserGrant, 'createdAt'>,
  createdAt: Date,
): Promise<UserGrant> {
  await requireProject(stores.projects, projectId)
  await requireUserInReach(call, stores, { level: 'project', id: projectId }, userId)
  await requireRoleKeys(stores, projectId, roles)
  const grant = { id, projectId, userId, createdAt }
  await stores.userGrants.add(grant)
  await stores.userGrants.setRoles(grant, roles)
  return requireUserGrant(stores.userGrants, projectId, id)
}

/** Gives exactly these roles; tokens carry them from the next one on. */
export function updateUserGrant(
  call: ManagementCall<Stores>,
  { projectId, userGrantId, roles }: Target & Pick<UserGrant, 'roles'>,
): Promise<UserGrant> {
  return call.change(async (stores) => {
    const grant = await requireUserGrant(stores.userGrants, projectId, userGrantId)
    await requireRoleKeys(stores, projectId, roles)
    await stores.userGrants.setRoles(grant, roles)
    const result = await requireUserGrant(stores.userGrants, projectId, userGrantId)
    return { result, details: { user_id: grant.userId, roles: result.roles } }
  })
}

/** Removes all roles. Tokens with these roles stay valid until they expire. */
export function deleteUserGrant(
  call: ManagementCall<Stores>,
  { projectId, userGrantId }: Target,
): Promise<void> {
  return call.change(async ({ userGrants }) => {
    const { userId, roles } = await requireUserGrant(userGrants, projectId, userGrantId)
    await userGrants.delete(projectId, userGrantId)
    return { result: undefined, details: { user_id: userId, roles } }
  })
}

/** Throws ApiError INVALID_ARGUMENT that names the roles which the project does not have. */
export async function requireRoleKeys(
  { projectRoles }: Pick<Stores, 'projectRoles'>,
  projectId: string,
  roles: readonly string[],
): Promise<void> {
  const known = await Promise.all(roles.map((key) => projectRoles.find(projectId, key)))
  const problems = known.flatMap((role, at) =>
    role === undefined
      ? [
          {
            field: `roles[${at}]`,
            rule: 'must be the key of a role of the project: create the role first, or read its list of roles',
          },
        ]
      : [],
  )
  if (problems.length > 0) throw invalidFields(problems)
}

async function requireUserGrant(
  userGrants: UserGrantStore,
  projectId: string,
  userGrantId: string,
): Promise<UserGrant> {
  const grant = await userGrants.find(projectId, userGrantId)
  if (grant !== undefined) return grant
  throw new ApiError('NOT_FOUND', 'the project has no user grant with this id', {
    reason: 'user_grant_unknown',
  })
}
