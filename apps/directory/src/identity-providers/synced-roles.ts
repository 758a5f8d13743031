import type { AuditEvent } from '@signet/admin-api/audit/audit-table'
import type { StoredProvider } from './identity-provider.ts'
import type { LinkedAccount, MappedRole } from './upstream-account.repository.ts'
import type { UpstreamStores } from './upstream-stores.ts'

interface Sync {
  readonly person: Pick<LinkedAccount, 'userId' | 'organizationId'>
  readonly provider: Pick<StoredProvider, 'id' | 'groupsClaim' | 'roleMappings'>
  readonly groups: readonly string[]
  readonly clientAddress: string | undefined
  readonly newId: () => string
  readonly at: Date
}

/**
 * Gives a person the roles that the groups stand for, and takes away only roles that the mapping of this provider could have
 * given. Roles that a project does not have any more are left out.
 */
export async function syncRoles(stores: UpstreamStores, sync: Sync): Promise<void> {
  const { person, provider, groups } = sync
  if (provider.groupsClaim === null || provider.roleMappings.length === 0) return
  const wanted = new Set(
    provider.roleMappings
      .filter(({ group }) => groups.includes(group))
      .flatMap(({ projectId, roles }) => roles.map((role) => keyOf({ projectId, role }))),
  )
  const mapped = await stores.upstream.mappedRoles(person, provider.roleMappings)
  const differing = mapped.filter((role) => role.isHeld !== wanted.has(keyOf(role)))
  for (const projectId of new Set(differing.map((role) => role.projectId))) {
    await changeRoles(
      stores,
      sync,
      projectId,
      differing.filter((role) => role.projectId === projectId),
    )
  }
}

async function changeRoles(
  stores: UpstreamStores,
  { person, provider, clientAddress, newId, at }: Sync,
  projectId: string,
  differing: readonly MappedRole[],
): Promise<void> {
  const { userGrants: grants } = stores
  const grant = { userId: person.userId, projectId }
  const added = differing.filter(({ isHeld }) => !isHeld).map(({ role }) => role)
  const removed = differing.filter(({ isHeld }) => isHeld).map(({ role }) => role)
  const before = await grants.findOfUser(grant)
  const id = before?.id ?? newId()
  if (before === undefined) await grants.add({ id, ...grant, createdAt: at })
  await grants.addRoles(grant, added)
  await grants.removeRoles(grant, removed)
  const after = await grants.findOfUser(grant)
  const isEmpty = after === undefined || after.roles.length === 0
  if (isEmpty) await grants.delete(projectId, id)
  const event: AuditEvent = {
    actor: { kind: 'human', id: person.userId },
    action: before === undefined ? 'user_grant.create' : isEmpty ? 'user_grant.delete' : 'user_grant.update',
    target: { kind: 'user_grant', id },
    organizationId: person.organizationId,
    clientAddress,
    result: 'success',
    details: {
      ...{ project_id: projectId, user_id: person.userId, provider_id: provider.id },
      roles: after?.roles ?? [],
    },
  }
  await stores.record(event)
}

const keyOf = ({ projectId, role }: { readonly projectId: string; readonly role: string }) =>
  JSON.stringify([projectId, role])
