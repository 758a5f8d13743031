import { ApiError } from '@signet/admin-api/api-error'
import { invalidFields } from '@signet/admin-api/json-error-handler'
import { requireAccount } from '../accounts/require-account.ts'
import type {
  ManagementCall,
  ManagementServices,
  ManagementStores,
} from '../management-api/management-call.ts'
import type { Page, PageRequest } from '../management-api/paging.ts'
import { requireUserInReach } from '../members/members.service.ts'
import { requireProject } from '../projects/projects.service.ts'
import type { UserGrant, UserGrantStore } from './user-grant.repository.ts'

type Stores = Pick<ManagementServices, 'stores'>

interface Target {
  readonly projectId: string
  readonly userGrantId: string
}

export function listUserGrants(
  _call: ManagementCall,
  {
    projectId,
    userId,
    ...request
  }: PageRequest & { readonly projectId: string; readonly userId?: string | undefined },
  { stores }: Stores,
): Promise<Page<UserGrant>> {
  return stores.userGrants.list({ projectId, userId }, request)
}

/** The grants of a user in all projects, including those of other organizations. */
export async function listGrantsOfUser(
  _call: ManagementCall,
  { userId, ...request }: PageRequest & { readonly userId: string },
  { stores }: Stores,
): Promise<Page<UserGrant>> {
  await requireAccount(stores.accounts, userId)
  return stores.userGrants.list({ userId }, request)
}

export function readUserGrant(
  _call: ManagementCall,
  { projectId, userGrantId }: Target,
  { stores }: Stores,
): Promise<UserGrant> {
  return requireUserGrant(stores.userGrants, projectId, userGrantId)
}

/** Gives a user roles in a project. */
export function createUserGrant(
  call: ManagementCall,
  { projectId, userId, roles }: Pick<UserGrant, 'projectId' | 'userId' | 'roles'>,
  { now }: Pick<ManagementServices, 'now'>,
): Promise<UserGrant> {
  return call.change(async (stores) => {
    await requireProject(stores.projects, projectId)
    await requireUserInReach(call, stores, { level: 'project', id: projectId }, userId)
    await requireRoles(stores, projectId, roles)
    const grant = { id: call.targetId, projectId, userId, createdAt: now() }
    await stores.userGrants.add(grant)
    await stores.userGrants.setRoles(grant, roles)
    const result = await requireUserGrant(stores.userGrants, projectId, call.targetId)
    return { result, details: { user_id: userId, roles: result.roles } }
  })
}

/** Gives exactly these roles; tokens carry them from the next one on. */
export function updateUserGrant(
  call: ManagementCall,
  { projectId, userGrantId, roles }: Target & Pick<UserGrant, 'roles'>,
): Promise<UserGrant> {
  return call.change(async (stores) => {
    const grant = await requireUserGrant(stores.userGrants, projectId, userGrantId)
    await requireRoles(stores, projectId, roles)
    await stores.userGrants.setRoles(grant, roles)
    const result = await requireUserGrant(stores.userGrants, projectId, userGrantId)
    return { result, details: { user_id: grant.userId, roles: result.roles } }
  })
}

/** Removes all roles. Tokens with these roles stay valid until they expire. */
export function deleteUserGrant(call: ManagementCall, { projectId, userGrantId }: Target): Promise<void> {
  return call.change(async ({ userGrants }) => {
    const { userId, roles } = await requireUserGrant(userGrants, projectId, userGrantId)
    await userGrants.delete(projectId, userGrantId)
    return { result: undefined, details: { user_id: userId, roles } }
  })
}

async function requireRoles(
  { projectRoles }: Pick<ManagementStores, 'projectRoles'>,
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
