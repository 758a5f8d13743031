import type { Caller } from '@signet/admin-api/caller'
import { holdsRole } from '@signet/admin-api/require-role'
import type { AccountStore } from '../accounts/account.repository.ts'
import { requireAccount } from '../accounts/require-account.ts'
import type { ManagementCall } from '../api/management-call.ts'
import type { ApplicationStore } from '../applications/application.repository.ts'
import { requireApplication } from '../applications/applications.service.ts'
import { viewsAccounts, viewsInstance } from '../permissions/permission.ts'
import type { ProjectStore } from '../projects/project.repository.ts'
import { requireProject } from '../projects/projects.service.ts'
import type { Page, PageRequest } from '../schema/paging.ts'
import type { HeldRoles, RoleHolder, RoleListStore } from './role-list.repository.ts'

interface Reads {
  readonly stores: {
    readonly accounts: AccountStore
    readonly applications: ApplicationStore
    readonly projects: ProjectStore
    readonly roleLists: RoleListStore
  }
}

const holdsOne = (caller: Caller, roles: ReturnType<typeof viewsInstance>) =>
  roles.some((role) => holdsRole(caller, role))

/**
 * The roles of a user with the place that each comes from. Roles as administrator outside the organization of the user are for
 * callers who see the instance.
 */
export async function listRolesOfUser(
  { caller }: ManagementCall,
  { userId, ...request }: PageRequest & { readonly userId: string },
  { stores }: Reads,
): Promise<Page<HeldRoles>> {
  const { organizationId } = await requireAccount(stores.accounts, userId)
  const administersIn = holdsOne(caller, viewsInstance()) ? undefined : organizationId
  return stores.roleLists.ofUser({ userId, administersIn }, request)
}

/** The people whom the project of an application lets sign in. */
type Admits = 'people_with_a_role' | 'people_of_granted_organizations' | 'everyone'

type NamedHolder = Omit<RoleHolder, 'userName' | 'displayName'> & Partial<RoleHolder>

/** The people with roles in the project of an application, named where the caller may see them, and whom its project admits. */
export async function listAccess(
  { caller }: ManagementCall,
  { applicationId, ...request }: PageRequest & { readonly applicationId: string },
  { stores }: Reads,
): Promise<Page<NamedHolder> & { readonly admits: Admits }> {
  const { projectId } = await requireApplication(stores.applications, applicationId)
  const project = await requireProject(stores.projects, projectId)
  const page = await stores.roleLists.ofApplication(applicationId, request)
  const items = page.items.map(({ userName, displayName, ...holder }) => ({
    ...holder,
    ...(holdsOne(caller, viewsAccounts(holder)) && { userName, displayName }),
  }))
  const admitsSome = project.hasProjectCheck ? 'people_of_granted_organizations' : 'everyone'
  return { ...page, items, admits: project.projectRoleCheck ? 'people_with_a_role' : admitsSome }
}
