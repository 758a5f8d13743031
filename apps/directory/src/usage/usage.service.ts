import type { AccountStore } from '../accounts/account.repository.ts'
import { requireAccount } from '../accounts/require-account.ts'
import type { ManagementCall } from '../api/management-call.ts'
import type { ApplicationStore } from '../applications/application.repository.ts'
import { requireApplication } from '../applications/applications.service.ts'
import type { OrganizationStore } from '../organizations/organization.repository.ts'
import { requireOrganization } from '../organizations/organizations.service.ts'
import type { ProjectStore } from '../projects/project.repository.ts'
import { requireProject } from '../projects/projects.service.ts'
import type { SessionClient } from '../sessions/session.ts'
import type { UsageStore } from './usage.repository.ts'
import { type CountUse, MOST_COUNTED } from './usage.ts'

interface Parts<Stores> {
  readonly stores: Stores
  readonly countUse: CountUse
}

/** Counts what ends with an account. Its sessions are those that count now. */
export async function countUserUsage(
  _call: ManagementCall,
  { userId }: { readonly userId: string },
  {
    stores,
    sessions,
    countUse,
  }: Parts<{ readonly accounts: AccountStore }> & { readonly sessions: SessionClient },
) {
  await requireAccount(stores.accounts, userId)
  const [live, { applications, refreshFamilies, hasMore }] = await Promise.all([
    sessions.list(userId),
    countUse('user', [userId]),
  ])
  return { sessions: live.length, applications, refreshFamilies, hasMore }
}

/** Counts what ends with an application. */
export async function countApplicationUsage(
  _call: ManagementCall,
  { applicationId }: { readonly applicationId: string },
  { stores, countUse }: Parts<{ readonly applications: ApplicationStore }>,
) {
  const { clientId } = await requireApplication(stores.applications, applicationId)
  const { sessions, users, hasMore } = await countUse('client', [clientId])
  return { sessions, users, hasMore }
}

/** Counts what ends with a project. */
export async function countProjectUsage(
  _call: ManagementCall,
  { projectId }: { readonly projectId: string },
  { stores, countUse }: Parts<{ readonly projects: ProjectStore; readonly usage: UsageStore }>,
) {
  await requireProject(stores.projects, projectId)
  const { clientIds, people } = await stores.usage.ofProject(projectId)
  const { sessions, users, hasMore } = await countUse('client', clientIds.slice(0, MOST_COUNTED))
  const { counts, isCut } = upToMost({ applications: clientIds.length, peopleWithRoles: people })
  return { ...counts, sessions, users, hasMore: hasMore || isCut }
}

/** Counts what ends with an organization. */
export async function countOrganizationUsage(
  _call: ManagementCall,
  { organizationId }: { readonly organizationId: string },
  { stores, countUse }: Parts<{ readonly organizations: OrganizationStore; readonly usage: UsageStore }>,
) {
  await requireOrganization(stores.organizations, organizationId)
  const [contained, { sessions, hasMore }] = await Promise.all([
    stores.usage.ofOrganization(organizationId),
    countUse('organization', [organizationId]),
  ])
  const { counts, isCut } = upToMost({ ...contained })
  return { ...counts, sessions, hasMore: hasMore || isCut }
}

/** Numbers as they are shown, and whether one of them goes on. */
function upToMost<Names extends string>(numbers: Readonly<Record<Names, number>>) {
  const entries = Object.entries<number>(numbers)
  const counts = Object.fromEntries(entries.map(([name, value]) => [name, Math.min(value, MOST_COUNTED)]))
  return { counts: counts as Record<Names, number>, isCut: entries.some(([, value]) => value > MOST_COUNTED) }
}
