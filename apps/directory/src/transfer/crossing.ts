import type { AuditActor, AuditEvent } from '@signet/admin-api/audit/audit-table'
import type { RecordOf } from '@signet/file-formats/export/lists'
import type { AccountFacts, Ownership, RelationFacts } from './authority-facts.repository.ts'

/**
 * A role, key, link or grant that an import writes and that concerns an organization which was there before: a sentence for the
 * administrator, and what the audit log of each such organization says.
 */
export interface Crossing {
  /** Index of the record in its batch. */
  readonly index: number
  /** Absent where one sentence names them all. */
  readonly note?: string
  readonly action:
    | 'import.key'
    | 'import.trusted_issuer'
    | 'import.role'
    | 'import.user_grant'
    | 'import.project_grant'
    | 'identity_link.create'
  readonly target: { readonly kind: string; readonly id: string }
  /** Ids of the organizations whose audit logs have it. */
  readonly organizationIds: readonly string[]
  readonly details: Readonly<Record<string, unknown>>
  /** The roles of the record, which are compared with those before an update. */
  readonly roles?: readonly string[]
}

interface Side {
  readonly id: string
  readonly ownership: Ownership
}

/** The organizations that were there before the import, each once. */
const thereBefore = (...sides: readonly Side[]): readonly string[] => [
  ...new Set(sides.flatMap(({ id, ownership }) => (ownership === 'created' ? [] : [id]))),
]

export function keyCrossing(
  index: number,
  {
    organizationId,
    keyId,
    target,
  }: { readonly organizationId: string; readonly keyId: string; readonly target: Crossing['target'] },
): Crossing {
  const noun = target.kind === 'application' ? 'application' : 'service user'
  return {
    index,
    note: `organization ${organizationId}: ${noun} ${target.id} gets the key ${keyId}`,
    action: 'import.key',
    target,
    organizationIds: [organizationId],
    details: { key_id: keyId },
  }
}

export function trustCrossing(
  index: number,
  {
    organizationId,
    trust: { id, issuer },
    target,
  }: {
    readonly organizationId: string
    readonly trust: { readonly id: string; readonly issuer: string }
    readonly target: Crossing['target']
  },
): Crossing {
  const noun = target.kind === 'application' ? 'application' : 'service user'
  return {
    index,
    note: `organization ${organizationId}: ${noun} ${target.id} trusts the issuer ${issuer}`,
    action: 'import.trusted_issuer',
    target,
    organizationIds: [organizationId],
    details: { trust_id: id, issuer },
  }
}

/** A link by which a person signs in. It is an event as one of the person is. */
export function linkCrossing(
  index: number,
  {
    organizationId,
    linkId,
    record: { userId, idpId },
  }: {
    readonly organizationId: string
    readonly linkId: string
    readonly record: Pick<RecordOf<'userLinks'>, 'userId' | 'idpId'>
  },
): Crossing {
  return {
    index,
    action: 'identity_link.create',
    target: { kind: 'identity_link', id: linkId },
    organizationIds: [organizationId],
    details: { provider_id: idpId, user_id: userId },
  }
}

interface GivenRoles {
  readonly account: AccountFacts
  readonly place: {
    readonly level: 'organization' | 'project'
    readonly objectId: string
    readonly owner: string
    readonly ownerOwnership: Ownership
  }
  readonly roles: readonly string[]
  readonly isPending: boolean
}

export function roleCrossing(index: number, { account, place, roles, isPending }: GivenRoles): Crossing {
  const { userId, home, homeOwnership } = account
  const { level, objectId, owner, ownerOwnership } = place
  const from = home === owner ? '' : ` of organization ${home}`
  const object = level === 'organization' ? '' : ` in project ${objectId}`
  const pending = isPending ? '; it does not count until it is accepted' : ''
  return {
    index,
    note: `organization ${owner}: user ${userId}${from} gets ${roles.join(', ')}${object}${pending}`,
    action: 'import.role',
    target: { kind: `${level}_member`, id: userId },
    organizationIds: thereBefore(
      { id: owner, ownership: ownerOwnership },
      { id: home, ownership: homeOwnership },
    ),
    details: {
      roles,
      pending: isPending,
      in_organization: owner,
      ...(level === 'project' && { project_id: objectId }),
    },
    roles,
  }
}

export function userGrantCrossing(
  index: number,
  { record, relation }: { readonly record: RecordOf<'userGrants'>; readonly relation: RelationFacts },
): Crossing {
  const { userId, projectId, roleKeys = [] } = record
  const { home, homeOwnership, owner, ownerOwnership } = relation
  return {
    index,
    note: `organization ${owner}: user ${userId} of organization ${home} gets ${roleKeys.length === 0 ? 'no roles' : roleKeys.join(', ')} in project ${projectId}`,
    action: 'import.user_grant',
    target: { kind: 'user_grant', id: userId },
    organizationIds: thereBefore(
      { id: owner, ownership: ownerOwnership },
      { id: home, ownership: homeOwnership },
    ),
    details: { user_id: userId, project_id: projectId, roles: roleKeys },
    roles: roleKeys,
  }
}

export function projectGrantCrossing(
  index: number,
  {
    projectId,
    owner,
    ownerOwnership,
    receiver,
    receiverOwnership,
    isPending,
  }: {
    readonly projectId: string
    readonly owner: string
    readonly ownerOwnership: Ownership
    readonly receiver: string
    readonly receiverOwnership: Ownership
    readonly isPending: boolean
  },
): Crossing {
  const pending = isPending ? '; it does not count until that organization accepts it' : ''
  return {
    index,
    note: `organization ${owner}: project ${projectId} is granted to organization ${receiver}${pending}`,
    action: 'import.project_grant',
    target: { kind: 'project', id: projectId },
    organizationIds: thereBefore(
      { id: owner, ownership: ownerOwnership },
      { id: receiver, ownership: receiverOwnership },
    ),
    details: { granted_organization_id: receiver, pending: isPending },
  }
}

/** The audit events of a crossing: one in each organization that it concerns. */
export function crossingEvents(
  { action, target, organizationIds, details }: Crossing,
  { jobId, actor }: { readonly jobId: string; readonly actor: AuditActor },
): readonly AuditEvent[] {
  return organizationIds.map((organizationId) => ({
    ...{ actor, action, target, organizationId },
    result: 'success' as const,
    details: { job_id: jobId, ...details },
  }))
}
