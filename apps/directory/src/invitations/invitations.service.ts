import { invalidFields } from '@signet/admin-api/json-error-handler'
import type { AccountStore } from '../accounts/account.repository.ts'
import type { Person } from '../accounts/account.ts'
import type { ManagementCall, Tools } from '../api/management-call.ts'
import { addUserGrant, type GrantStores } from '../grants/user-grants.service.ts'
import type { MailStore } from '../mail/mail.repository.ts'
import { queueInvitation } from '../mail/user-mail.service.ts'
import type { DomainStore } from '../organizations/domain.repository.ts'
import { managesProject, onProject } from '../permissions/permission.ts'
import { requireRoles } from '../permissions/require-permission.ts'
import { addPerson, type NewPerson } from '../users-api/accounts.service.ts'

interface Stores extends GrantStores {
  readonly accounts: AccountStore
  readonly domains: DomainStore
  readonly mail: MailStore
}

interface GivenRoles {
  readonly projectId: string
  readonly roles: readonly string[]
}

interface NewInvitation extends Omit<NewPerson, 'state' | 'password' | 'passwordChangeRequired'> {
  readonly grants: readonly GivenRoles[]
  /** The application that the person is invited to. */
  readonly clientId?: string | undefined
}

interface Invitation {
  readonly user: Person
  readonly grants: readonly GivenRoles[]
}

/**
 * Creates a person, gives the roles and queues the invitation: all of it or nothing. Needs, for each project, the roles that
 * giving its roles needs.
 */
export async function createInvitation(
  call: ManagementCall<Stores>,
  { grants, clientId, ...person }: NewInvitation,
  { stores, now, newId }: { readonly stores: Pick<Stores, 'scopes'> } & Pick<Tools, 'now' | 'newId'>,
): Promise<Invitation> {
  requireDistinctProjects(grants)
  const permission = onProject(managesProject)
  for (const { projectId } of grants) await requireRoles(stores, call.caller, { permission, id: projectId })
  const at = now()
  return call.change(async (changed) => {
    const user = await addPerson(call, changed, person, at)
    const given = []
    for (const { projectId, roles } of grants)
      given.push(await addUserGrant(call, changed, { id: newId(), projectId, userId: user.id, roles }, at))
    await queueInvitation(changed, { userId: user.id, clientId, askedByUser: call.caller.userId }, at)
    return {
      result: { user, grants: given.map(({ projectId, roles }) => ({ projectId, roles })) },
      events: await Promise.all(
        given.map(async ({ id, projectId, roles }) => ({
          action: 'user_grant.create',
          target: { kind: 'user_grant', id },
          organizationId: (await changed.scopes.find('project', projectId))?.organizationId,
          details: { project_id: projectId, user_id: user.id, roles },
        })),
      ),
    }
  })
}

function requireDistinctProjects(grants: readonly GivenRoles[]): void {
  const ids = grants.map(({ projectId }) => projectId)
  const repeated = ids.findIndex((id, at) => ids.indexOf(id) < at)
  if (repeated < 0) return
  throw invalidFields([
    {
      field: `grants[${repeated}].projectId`,
      rule: 'is named twice: give all roles of a project in one grant',
    },
  ])
}
